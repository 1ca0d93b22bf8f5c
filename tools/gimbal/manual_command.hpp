// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace gimbal::tool {

struct ManualRequest {
    std::string form = "man";  ///< man, bash or zsh
    std::string command;       ///< whose page; empty: that of gimbal itself
};

/// Add `gimbal manual`, which the build calls and help does not show.
void add_manual(CLI::App& app, ManualRequest& request);

/// Print a manual page, or what completes command lines in bash or zsh: made of the commands' own descriptions and of
/// the option table, so they cannot fall behind.
/// @param app  the whole command line  @return 0  @errors gimbal::Error(wrong_use): there is no such command
[[nodiscard]] int manual(const CLI::App& app, const ManualRequest& request);

}  // namespace gimbal::tool
