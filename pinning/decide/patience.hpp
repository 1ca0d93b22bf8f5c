// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "decide/move_limit.hpp"

namespace gimbal::pin {

/// A limit of moves for what is costly to move: every trip there and back doubles the wait before the next one. So a
/// mistake is undone as soon as anything may move, and then hardly repeated; two choices that take turns in being
/// better are not followed to and fro.
///
///     after a move there   wait = dwell
///     after the way back   wait = dwell 2^trips, trips <= 5; after a calm of 16 of these the count begins anew
///
/// @threads one  @cost O(1) amortised
/// @source ours; test: tests/unit/pinning/decide/memory_learner_test.cpp
class Patience {
public:
    /// As MoveLimit.
    Patience(std::uint64_t dwell, std::size_t per_span, std::uint64_t span) noexcept
        : dwell_(dwell), limit_(dwell, per_span, span) {}

    [[nodiscard]] bool may_move(std::uint64_t now) noexcept {
        return (!moved_ || now >= last_ + wait()) && limit_.may_move(now);
    }

    /// @param from, to  any numbers that tell choices apart
    /// @errors std::bad_alloc
    void moved(std::uint64_t now, int from, int to) {
        if (now >= last_ + kCalm * (dwell_ << trips_)) trips_ = 0;
        back_ = moved_ && !back_ && to == before_;
        if (back_) trips_ = std::min(trips_ + 1, kMost);
        moved_ = true;
        before_ = from;
        last_ = now;
        limit_.moved(now);
    }

    /// After the last move [ticks].
    [[nodiscard]] std::uint64_t wait() const noexcept { return back_ ? dwell_ << trips_ : dwell_; }

private:
    static constexpr unsigned kMost = 5;
    static constexpr std::uint64_t kCalm = 16;
    std::uint64_t dwell_;
    MoveLimit limit_;
    std::uint64_t last_ = 0;
    int before_ = 0;  ///< where it was before the last move
    unsigned trips_ = 0;
    bool moved_ = false;
    bool back_ = false;  ///< the last move was the way back
};

}  // namespace gimbal::pin
