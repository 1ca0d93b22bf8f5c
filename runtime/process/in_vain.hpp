// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "gimbal/options.hpp"
#include "report/run_record.hpp"

namespace gimbal {

/// Settings that the user gave and that nothing of what ran goes by, a sentence for each.
/// @param loops  what ran; none if no loop did: then there is nothing to judge by
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::vector<std::string> settings_in_vain(const Options& options, const std::vector<LoopSummary>& loops);

}  // namespace gimbal
