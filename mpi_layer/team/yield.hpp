// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sched.h>

#if defined(GIMBAL_SIMULATED_RANKS)
#include "smpi/waiting.hpp"
#endif

namespace gimbal::mpi {

/// For a rank that looks for something and does not find it: it looks on for about as long as a message takes, then
/// leaves the processor to others that may share it. Where ranks are simulated nothing happens on other processors
/// while one looks: time must be told to pass.
class Yielding {
public:
    /// It was not there. @return whether it is time to yield()
    [[nodiscard]] bool looked_in_vain() noexcept { return ++looks_ > kLooks; }
    void yield() noexcept {
#if defined(GIMBAL_SIMULATED_RANKS)
        waiting_.let_time_pass();
#else
        sched_yield();
#endif
    }
    /// It was not there: yield, if it is time to.
    void nothing() noexcept {
        if (looked_in_vain()) yield();
    }
    /// It was there.
    void something() noexcept {
        *this = {};
    }

private:
#if defined(GIMBAL_SIMULATED_RANKS)
    static constexpr int kLooks = 0;
    smpi::Waiting waiting_;
#else
    static constexpr int kLooks = 100;
#endif
    int looks_ = 0;
};

}  // namespace gimbal::mpi
