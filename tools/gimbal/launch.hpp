// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gimbal::tool {

/// Variables for a program: name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// While it lives, signals that would end the tool wait for launch(), so that the tool can pass them on and tidy up.
class SignalsHeld {
public:
    SignalsHeld();
    ~SignalsHeld();
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
};

/// Start a program, pass on the signals that arrive meanwhile, and wait for its end.
/// @param command    path and arguments
/// @param variables  set for it, on top of this process's environment
/// @return its exit status; 128 + the signal that ended it; 126 or 127 if it could not be started
/// @pre a SignalsHeld is alive  @threads from a process with one thread
[[nodiscard]] int launch(const std::vector<std::string>& command, const Variables& variables);

}  // namespace gimbal::tool
