// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace gimbal::top {

/// Show running programs on the terminal until `q` is pressed.
/// @param interval_s  between two looks [s]  @param of  as LiveProcesses has it
/// @return 0  @errors gimbal::Error(unsupported): no terminal, or a kind that ncurses does not know
/// @threads the only one
[[nodiscard]] int show(double interval_s, std::vector<int> of);

}  // namespace gimbal::top
