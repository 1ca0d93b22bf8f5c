// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sched.h>

#include "team/team.hpp"

namespace gimbal::mpi {

/// Waiting for another rank: spin for a moment, then let others run, since ranks may share a processor; and answer what
/// they ask meanwhile.
class Wait {
public:
    /// To be called in the loop that waits.
    void pause() {
        if (++rounds_ < kSpins) return;
        Team::poll_all();
        sched_yield();
    }

private:
    static constexpr int kSpins = 100;
    int rounds_ = 0;
};

}  // namespace gimbal::mpi
