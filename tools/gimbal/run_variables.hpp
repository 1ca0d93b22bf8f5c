// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "config/load.hpp"
#include "launch.hpp"

namespace gimbal::tool {

/// Whether a flag stands on the command line.
[[nodiscard]] bool given(const RunRequest& request, std::string_view flag);

/// OpenMP runtimes leave a wrong number of threads out of account with a warning, but for LLVM's, which ends the
/// program with "Out of heap memory", or crashes. So it is taken out of this process's environment, with a warning.
void leave_out_wrong_threads(const Environment& environment);

/// What the program gets on top of this process's environment. Notes what replaces a variable of the user's.
/// @param preload  the whole LD_PRELOAD  @param folder  for records  @pre leave_out_wrong_threads() was called
[[nodiscard]] Variables variables_for(const Environment& environment, const RunRequest& request,
                                      const std::string& preload, const std::string& folder, const Options& options);

/// The words to start. Under a launcher the variables stand on an `env` command line: not every launcher passes its own
/// on to all nodes.
/// @param launcher  of launcher_for(); empty: no ranks are started
[[nodiscard]] std::vector<std::string> command_for(const RunRequest& request, const std::vector<std::string>& launcher,
                                                   const Variables& variables);

}  // namespace gimbal::tool
