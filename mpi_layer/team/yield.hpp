// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sched.h>

#if defined(GIMBAL_SIMULATED_RANKS)
#include "smpi/waiting.hpp"
#endif

namespace gimbal::mpi {

/// Somebody who waits and leaves the processor to others meanwhile. Where ranks are simulated nothing happens on other
/// processors while one looks: time must be told to pass.
class Yielding {
public:
#if defined(GIMBAL_SIMULATED_RANKS)
    static constexpr int kLooks = 0;
#else
    static constexpr int kLooks = 100;  // before the first call, for about as long as a message takes
#endif

    void yield() noexcept {
#if defined(GIMBAL_SIMULATED_RANKS)
        waiting_.let_time_pass();
#else
        sched_yield();
#endif
    }
    /// It does not wait any more.
    void end() noexcept {
#if defined(GIMBAL_SIMULATED_RANKS)
        waiting_ = {};
#endif
    }

private:
#if defined(GIMBAL_SIMULATED_RANKS)
    smpi::Waiting waiting_;
#endif
};

}  // namespace gimbal::mpi
