// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "decide/running_mean.hpp"
#include "gimbal/pin_settings.hpp"

namespace gimbal::pin {

/// What is known of all threads together at one tick; a thread that does not teach is not counted.
class SpeedSummary {
public:
    void add(double speed) noexcept {
        if (!teaches(speed)) return;
        ++count_;
        sum_ += speed;
        squares_ += speed * speed;
        least_ = std::min(least_, speed);
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] double mean() const noexcept { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
    [[nodiscard]] double least() const noexcept { return count_ == 0 ? 0 : least_; }
    /// Mean of (v_i - mean)^2.
    [[nodiscard]] double variance() const noexcept {
        if (count_ == 0) return 0;
        return std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean());
    }

private:
    std::size_t count_ = 0;
    double sum_ = 0;
    double squares_ = 0;
    double least_ = std::numeric_limits<double>::infinity();
};

/// Utilities stay above this share of the mean speed: what is rewarded with nothing is never chosen again.
inline constexpr double kMinUtility = 0.01;

/// What a thread's learners are told of one sample, in the unit of the speed.
///
///     speed, progress   u = v
///     balanced          u = v - gamma (v - mean)^2 / mean
///     min               u = (v + least) / 2
///
/// Every thread hears of itself: the same f for all drowns a thread's own signal in that of the others. `progress` is
/// the speed of what the program reports as progress; the difference is in what is measured, not here.
/// @return > 0 if speed > 0
/// @errors none  @threads any  @cost O(1)
/// @source seed 001, eq. 4.2; reference on placement, 0 item 4 and 1b (gamma made dimensionless; `min` is ours);
///         test: tests/unit/pinning/decide/criteria_test.cpp
[[nodiscard]] inline double utility(Criterion criterion, double gamma, double speed,
                                    const SpeedSummary& crowd) noexcept {
    const double mean = crowd.mean();
    switch (criterion) {
        case Criterion::balanced: {
            const double away = speed - mean;
            const double share = mean > 0 ? away * away / mean : 0;
            return std::max(speed - gamma * share, kMinUtility * std::min(speed, mean));
        }
        case Criterion::min:
            return (speed + std::min(speed, crowd.least())) / 2;
        case Criterion::speed:
        case Criterion::progress:
            break;
    }
    return speed;
}

/// f, what all threads together are worth at one tick, in the unit of the speed: what is reported and guarded.
///
///     speed, progress   mean v          balanced   mean v - gamma var(v) / mean v          min   least v
///
/// The mean alone is blind to balance: for busy threads it tells how many cores the program has, not who waits for
/// whom.
/// @source as utility()
[[nodiscard]] inline double objective(Criterion criterion, double gamma, const SpeedSummary& crowd) noexcept {
    const double mean = crowd.mean();
    if (criterion == Criterion::min) return crowd.least();
    if (criterion == Criterion::balanced && mean > 0)
        return std::max(mean - gamma * crowd.variance() / mean, kMinUtility * mean);
    return mean;
}

}  // namespace gimbal::pin
