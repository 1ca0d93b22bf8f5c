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

}  // namespace gimbal::pin
