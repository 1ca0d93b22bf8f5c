// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "decide/move_limit.hpp"

namespace gimbal::pin {

/// A limit of moves for what is costly to move: every move that only goes back to where it came from doubles the wait
/// before the next one. So what turns out to be a mistake is undone once, and then hardly repeated; two choices that
/// take turns in being better are not followed to and fro.
///
///     wait = dwell 2^returns, returns <= 5; after a calm of four waits the count begins anew
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
        if (moved_ && now >= last_ + kCalm * wait())
            returns_ = 0;
        else if (moved_ && to == before_)
            returns_ = std::min(returns_ + 1, kMost);
        moved_ = true;
        before_ = from;
        last_ = now;
        limit_.moved(now);
    }

    /// After the last move [ticks].
    [[nodiscard]] std::uint64_t wait() const noexcept { return dwell_ << returns_; }

private:
    static constexpr unsigned kMost = 5;
    static constexpr std::uint64_t kCalm = 4;
    std::uint64_t dwell_;
    MoveLimit limit_;
    std::uint64_t last_ = 0;
    int before_ = 0;  ///< where it was before the last move
    unsigned returns_ = 0;
    bool moved_ = false;
};

}  // namespace gimbal::pin
