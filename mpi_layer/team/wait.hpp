// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/rank_loop.h"
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

/// A wait for what other ranks of a communicator do, however long that takes. Foremen of other loops hear of it after a
/// millisecond: who waits for this rank to draw there would wait for ever if it waits for them here.
class Absence {
public:
    Absence() = default;
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    ~Absence() {
        if (said_) Team::say_absent_to_all(false);
    }
    /// To be called in the loop that waits.
    void note() {
        const std::uint64_t now = gimbal_rank_ticks();
        if (begin_ == 0) begin_ = now;
        if (said_ || static_cast<double>(now - begin_) * gimbal_rank_tick_s() < kSoon_s) return;
        said_ = true;
        Team::say_absent_to_all(true);
    }

private:
    static constexpr double kSoon_s = 1e-3;
    std::uint64_t begin_ = 0;  // [ticks]
    bool said_ = false;
};

}  // namespace gimbal::mpi
