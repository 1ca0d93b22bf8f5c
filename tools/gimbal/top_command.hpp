// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gimbal::tool {

struct TopRequest {
    std::vector<int> of;  ///< processes whose runs are shown; none: all
    double interval_s = 2;
    bool once = false;
    std::string format = "text";
};

/// Add `gimbal top` to the command line.
void add_top(CLI::App& app, TopRequest& request);

/// Show loops, threads and ranks of running programs of this user.
/// @return 0  @errors gimbal::Error: (unsupported) there is no terminal; (wrong_use) a format without --once
[[nodiscard]] int top(const CLI::App& command, const TopRequest& request);

}  // namespace gimbal::tool
