// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/recorded.hpp"

namespace gimbal::tool {

/// The loops of a trace, and who ran them.
struct RecordedCosts {
    std::vector<simulate::RecordedLoop> loops;  ///< at least one
    std::uint32_t workers = 1;                  ///< of the largest team
    std::uint64_t incomplete = 0;     ///< executions that are left out, since the trace lacks some of their iterations
    std::uint64_t largest_chunk = 1;  ///< [iterations]
};

/// What half of the recorded chunks of a loop took at most [ns]; 0: it has none.
[[nodiscard]] double median_chunk_ns(const simulate::RecordedLoop& loop);

/// What iterations cost, from a trace of one process that `gimbal run --trace` wrote.
/// A chunk's slice ends with the record of the next one, so it holds the draw of that and some 15 ns of recording,
/// which nobody can tell from its work.
/// @param loop  only loops whose name contains it; empty: all
/// @errors gimbal::Error(file): no such trace, no such loop in it, or more than one process  @cost O(chunks log chunks)
RecordedCosts read_recorded_costs(const std::string& trace, const std::string& loop);

}  // namespace gimbal::tool
