// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace gimbal::tool {

/// While it lives, signals that ask the tool to end (Ctrl-C, TERM, HUP, QUIT) wait: at the next check(), or at the
/// latest where this ends, the process dies of the signal as it would have. What was declared after it, a file that is
/// half written for example, is removed before. Signals that were ignored stay so.
/// @threads one at a time
class CleanEnd {
public:
    /// @param output  what is written; where that is a device or a pipe there is nothing to remove, and a reader that
    ///                does not come must not keep the tool from ending: no signal waits then
    explicit CleanEnd(const std::string& output);
    ~CleanEnd();
    CleanEnd(const CleanEnd&) = delete;
    CleanEnd& operator=(const CleanEnd&) = delete;

    /// @errors std::runtime_error, to leave the place where files are half written: a signal has come
    static void check();

private:
    static constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    bool waits_ = false;
    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace gimbal::tool
