// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "team/team.hpp"
#include "team/yield.hpp"

namespace gimbal::mpi {

/// Waiting for another rank: spin for a moment, then let others run, since ranks may share a processor; and answer what
/// they ask meanwhile.
class Wait {
public:
    /// To be called in the loop that waits.
    void pause() {
        if (!yielding_.looked_in_vain()) return;
        Team::poll_all();
        yielding_.yield();
    }

private:
    Yielding yielding_;
};

}  // namespace gimbal::mpi
