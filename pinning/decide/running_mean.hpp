// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

namespace gimbal::pin {

/// Whether a measurement says anything: a blocked thread shows 0, a broken counter less or nothing finite.
[[nodiscard]] inline bool teaches(double measured) noexcept {
    return std::isfinite(measured) && measured > 0;
}

/// Discounted mean of a thread's performance: V <- V + step (v - V), begun at the first sample that teaches.
/// @threads one  @cost O(1)
/// @source seed 001, eq. 4.4; test: tests/unit/pinning/decide/band_test.cpp
class RunningMean {
public:
    /// @param step  epsilon_V, in (0, 1]
    explicit RunningMean(double step) noexcept : step_(step) {}

    /// @param measured  in any unit; what does not teach is left out
    void add(double measured) noexcept {
        if (!teaches(measured)) return;
        mean_ = known_ ? mean_ + step_ * (measured - mean_) : measured;
        known_ = true;
    }

    [[nodiscard]] bool known() const noexcept { return known_; }
    /// 0 until something was added.
    [[nodiscard]] double value() const noexcept { return mean_; }
    void forget() noexcept {
        known_ = false;
        mean_ = 0;
    }

private:
    double step_;
    double mean_ = 0;
    bool known_ = false;
};

}  // namespace gimbal::pin
