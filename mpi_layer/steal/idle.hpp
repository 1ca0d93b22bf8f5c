// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sched.h>

namespace gimbal::mpi {

/// For a rank that looks for messages and finds none: looks on for about as long as a message takes, then leaves the
/// processor to others that may share it.
class Idle {
public:
    void nothing() noexcept {
        if (++looks_ > kEager) sched_yield();
    }
    void something() noexcept { looks_ = 0; }

private:
    static constexpr unsigned kEager = 100;  // looks
    unsigned looks_ = 0;
};

}  // namespace gimbal::mpi
