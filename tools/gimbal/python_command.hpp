// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gimbal::tool {

/// A command that is a Python program: its folder beside bin/, in share/gimbal, and what it takes from Debian.
struct PythonCommand {
    const char* name;      ///< of the command, and of the folder
    const char* modules;   ///< of Python, separated by blanks: with these it can do everything
    const char* packages;  ///< of Debian, which have them
};

inline constexpr PythonCommand kCampaign{"campaign", "pandas scipy statsmodels matplotlib",
                                         "python3-pandas python3-scipy python3-statsmodels python3-matplotlib"};
inline constexpr PythonCommand kTune{"tune", "sklearn matplotlib", "python3-sklearn python3-matplotlib"};

/// Hand a command over to its Python program, with the first Python of $GIMBAL_PYTHON, python3 and /usr/bin/python3
/// that has all of its modules; else the first that can start it at all, and it says itself what is missing.
/// Replaces this process.
/// @param words  what stood behind the command
/// @return never, except for the status 126 if the Python found cannot be started
/// @errors gimbal::Error(unsupported) if the program or a Python for it is not there   @threads none may run beside it
[[nodiscard]] int run_python(const PythonCommand& command, const std::vector<std::string>& words);

}  // namespace gimbal::tool
