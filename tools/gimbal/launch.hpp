// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gimbal::tool {

/// Variables for a program: name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// While it lives, signals wait for launch(), so that the tool can pass them on and tidy up: all that may be sent, but
/// SIGTTIN and SIGTTOU, which the terminal sends to the program, too.
class SignalsHeld {
public:
    SignalsHeld();
    ~SignalsHeld();
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
};

/// How a program ended, or what is known of one that still runs.
struct ProgramEnd {
    int pid = 0;
    bool running = false;
    int status = 0;        ///< exit status; 128 + the signal that ended it; 126 or 127 if it could not be started
    int killed_by = 0;     ///< signal that ended it; 0: none did
    int asked_to_end = 0;  ///< last signal to end that came to the tool meanwhile; 0: none
};

/// A batch system that asks to end kills what is still there after a while: 10 s with some, 30 s with Slurm. What there
/// is to say must be said before.
inline constexpr int kOverdue_s = 5;

/// Start a program, pass on the signals that arrive meanwhile, and wait for its end. The program has the mask, and
/// ignores the signals, that this process was started with. Who stops the job (SIGTSTP) stops this process, too.
/// @param command    path and arguments
/// @param variables  set for it, on top of this process's environment
/// @param overdue    called once if it still runs kOverdue_s after a signal that asks to end
/// @pre a SignalsHeld is alive  @threads from a process with one thread
[[nodiscard]] ProgramEnd launch(const std::vector<std::string>& command, const Variables& variables,
                                const std::function<void(const ProgramEnd&)>& overdue);

}  // namespace gimbal::tool
