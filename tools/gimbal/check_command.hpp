// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gimbal::tool {

struct CheckRequest {
    std::string program;
    bool json = false;
};

/// Say what a program is linked to, which loops it has by schedule and place, what Gimbal can take of it and how. It is
/// not run.
/// @return 0; 1: `gimbal run` would refuse it, which is said
/// @errors gimbal::Error(wrong_use): there is no such program
[[nodiscard]] int check(const CheckRequest& request);

}  // namespace gimbal::tool
