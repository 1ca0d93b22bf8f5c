// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "report/merge.hpp"

namespace gimbal {

/// What a user can do about the loops of a run: for the loops that lose most, how much and by what (waiting for the
/// slowest, late threads, drawing chunks, entry and exit), and what to try. Only what was measured or predicted for the
/// loop is advised. Losses under 1 % of the run are not worth a line; if there is no other, one line sums up all loops.
/// @return at most three lines without line feed; none if no loop ran
/// @errors std::bad_alloc  @threads any  @cost O(loops log loops)
[[nodiscard]] std::vector<std::string> notes(const MergedRun& run);

}  // namespace gimbal
