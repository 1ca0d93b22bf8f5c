// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace gimbal::pin {

/// @param sample_s  between ticks [s]  @return >= 1
[[nodiscard]] inline std::uint64_t ticks_per_minute(double sample_s) noexcept {
    constexpr double kMinute_s = 60;
    return static_cast<std::uint64_t>(std::max(1.0, std::ceil(kMinute_s / sample_s)));
}

/// How often one thread may be moved at one level: never before it has dwelt, and only so often a minute. Time is
/// counted in ticks, for the decision core has no clock.
/// @threads one  @cost O(1) amortised
/// @source reference on placement, 1a (min dwell, max moves a minute); test: tests/unit/pinning/decide/al_test.cpp
class MoveLimit {
public:
    /// @param dwell      ticks that must pass after a move [ticks]
    /// @param per_span   moves allowed within span [count]; 0: no limit
    /// @param span       one minute in ticks [ticks]
    MoveLimit(std::uint64_t dwell, std::size_t per_span, std::uint64_t span) noexcept
        : dwell_(dwell), per_span_(per_span), span_(span) {}

    [[nodiscard]] bool may_move(std::uint64_t now) noexcept {
        while (!moves_.empty() && moves_.front() + span_ <= now) moves_.pop_front();
        if (moved_ && now < last_ + dwell_) return false;
        return per_span_ == 0 || moves_.size() < per_span_;
    }

    /// @errors std::bad_alloc
    void moved(std::uint64_t now) {
        moved_ = true;
        last_ = now;
        if (per_span_ > 0) moves_.push_back(now);
    }

private:
    std::uint64_t dwell_;
    std::size_t per_span_;
    std::uint64_t span_;
    std::uint64_t last_ = 0;
    bool moved_ = false;
    std::deque<std::uint64_t> moves_;  ///< within the last span, oldest first
};

/// A limit of moves for what is costly to move: every trip there and back doubles the wait before the next one. So a
/// mistake is undone as soon as anything may move, and then hardly repeated; two choices that take turns in being
/// better are not followed to and fro.
///
///     after a move there   wait = dwell
///     after the way back   wait = dwell 2^trips, trips <= 5; after a calm of 16 of these the count begins anew
///
/// @threads one  @cost O(1) amortised
/// @source ours; test: tests/unit/pinning/decide/memory_learner_test.cpp
class MoveBackoff {
public:
    /// As MoveLimit.
    MoveBackoff(std::uint64_t dwell, std::size_t per_span, std::uint64_t span) noexcept
        : dwell_(dwell), limit_(dwell, per_span, span) {}

    [[nodiscard]] bool may_move(std::uint64_t now) noexcept {
        return (!moved_ || now >= last_ + wait()) && limit_.may_move(now);
    }

    /// @param from, to  any numbers that tell choices apart
    /// @errors std::bad_alloc
    void moved(std::uint64_t now, int from, int to) {
        if (now >= last_ + kCalm * (dwell_ << trips_)) trips_ = 0;
        back_ = moved_ && !back_ && to == before_;
        if (back_) trips_ = std::min(trips_ + 1, kMax);
        moved_ = true;
        before_ = from;
        last_ = now;
        limit_.moved(now);
    }

    /// After the last move [ticks].
    [[nodiscard]] std::uint64_t wait() const noexcept { return back_ ? dwell_ << trips_ : dwell_; }

private:
    static constexpr unsigned kMax = 5;
    static constexpr std::uint64_t kCalm = 16;
    std::uint64_t dwell_;
    MoveLimit limit_;
    std::uint64_t last_ = 0;
    int before_ = 0;  ///< where it was before the last move
    unsigned trips_ = 0;
    bool moved_ = false;
    bool back_ = false;  ///< the last move was the way back
};

/// Without a drop for so long, less is explored; and strategies start anew no sooner again [ticks].
inline constexpr std::uint64_t kCalmTicks = 15;

/// Factor on lambda: shrinks while nothing happens, and is whole again after a drop. Exploring costs about n lambda
/// displaced threads a step, which is worth it only while there is something to find.
/// @threads the owner's  @cost O(1)
/// @source reference on placement, 1b; test: tests/unit/pinning/decide/guard_test.cpp
class ExplorationRate {
public:
    /// A tick has passed.
    void tick(std::uint64_t now) noexcept {
        if (now - last_drop_ >= kCalmTicks && now % kCalmTicks == 0) factor_ = std::max(kMinFactor, factor_ * kShrink);
    }
    /// A thread's performance fell.
    void dropped(std::uint64_t now) noexcept {
        restart();
        last_drop_ = now;
    }
    void restart() noexcept { factor_ = 1; }
    [[nodiscard]] double factor() const noexcept { return factor_; }

private:
    static constexpr double kShrink = 0.8;
    static constexpr double kMinFactor = 0.1;
    double factor_ = 1;
    std::uint64_t last_drop_ = 0;  ///< [ticks]
};

}  // namespace gimbal::pin
