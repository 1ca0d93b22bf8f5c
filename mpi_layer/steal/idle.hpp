// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "team/yield.hpp"

namespace gimbal::mpi {

/// For a rank that looks for messages and finds none: looks on for about as long as a message takes, then leaves the
/// processor to others that may share it.
class Idle {
public:
    void nothing() noexcept {
        if (++looks_ > Yielding::kLooks) yielding_.yield();
    }
    void something() noexcept {
        looks_ = 0;
        yielding_.end();
    }

private:
    int looks_ = 0;
    Yielding yielding_;
};

}  // namespace gimbal::mpi
