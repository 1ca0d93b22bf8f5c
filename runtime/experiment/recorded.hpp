// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiment/application.hpp"

namespace gimbal::simulate {

/// What one execution of a loop cost, chunk by chunk in the order of iterations.
struct RecordedExecution {
    std::vector<std::uint64_t> ends;  ///< [chunks] ascending: the iteration after each chunk; the last is N
    std::vector<double> costs;        ///< [chunks] >= 0 [ns]
};

/// All executions of one loop of a program that ran.
struct RecordedLoop {
    std::string name;
    std::vector<RecordedExecution> executions;  ///< at least one, in the order in which they ran
};

/// A program as it was recorded: its loops cost again what they did, and have the same numbers of iterations, which
/// may differ from execution to execution. Iterations of one chunk cost the same. A loop that was executed less often
/// than others is left out of the last steps.
/// @param loops    at least one
/// @param workers  P [count], >= 1
/// @param steps    0: as many as the loop with most executions has; more: they begin again
/// @errors std::bad_alloc  @cost O(chunks)
[[nodiscard]] std::unique_ptr<Application> make_recorded(std::vector<RecordedLoop> loops, std::uint32_t workers,
                                                         std::uint64_t steps);

}  // namespace gimbal::simulate
