// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

namespace gimbal::pin {

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
