// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <signal.h>

#include <ctime>

namespace gimbal {

/// Holds back one signal of this thread, and takes what writing raises of it: inside a stranger's program a closed pipe
/// (SIGPIPE) or a limit on file sizes (SIGXFSZ) must not become a death.
class HeldSignal {
public:
    explicit HeldSignal(int signal) noexcept {
        sigemptyset(&set_);
        sigaddset(&set_, signal);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, signal) == 1;
        pthread_sigmask(SIG_BLOCK, &set_, &old_);
    }
    ~HeldSignal() {
        const timespec now = {0, 0};
        if (!was_pending_)
            while (sigtimedwait(&set_, nullptr, &now) > 0) {
            }
        pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    }
    HeldSignal(const HeldSignal&) = delete;
    HeldSignal& operator=(const HeldSignal&) = delete;

private:
    sigset_t set_{}, old_{};
    bool was_pending_ = false;
};

}  // namespace gimbal
