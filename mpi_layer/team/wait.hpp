// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

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
        if (++rounds_ < Yielding::kLooks) return;
        Team::poll_all();
        yielding_.yield();
    }

private:
    int rounds_ = 0;
    Yielding yielding_;
};

/// Whether it is time to say that a rank waits, and for whom.
class Overdue {
public:
    /// @return true once: when a second has passed
    [[nodiscard]] bool now() noexcept {
        if (said_) return false;
        const auto waited = static_cast<double>(gimbal_rank_ticks() - begin_);
        return said_ = waited * gimbal_rank_tick_s() > kLong_s;
    }

private:
    static constexpr double kLong_s = 1;
    std::uint64_t begin_ = gimbal_rank_ticks();
    bool said_ = false;
};

}  // namespace gimbal::mpi
