// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "preflight.hpp"

namespace gimbal::tool {

/// Why no loop of a program came to Gimbal, as far as the program's file shows it.
/// @return half a sentence; empty: nothing is known
[[nodiscard]] std::string why_no_loop(const ProgramFacts& program);

}  // namespace gimbal::tool
