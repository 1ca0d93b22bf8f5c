// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gimbal {

/// How the time of a loop goes with its number of iterations: as a power of it. Where the iterations of longer
/// executions cost more (a factorisation: the blocks that are left become fewer and lower), times per iteration of
/// executions of different length do not compare, and what was tried late in a sweep looks fast. Times per work() do.
/// @threads the owner locks
/// @source derived; test: tests/unit/measure/length_trend_test.cpp
class LengthTrend {
public:
    /// @param time  of an execution, > 0 [any]  @param iterations  N, >= 1
    /// @cost two logarithms once N has changed, before that two comparisons
    void add(std::uint64_t iterations, double time) noexcept {
        if (iterations == 0 || !(time > 0)) return;
        if (reference_ == 0) reference_ = static_cast<double>(iterations);
        if (count_ == 0 && static_cast<double>(iterations) == reference_) return;  // one length so far: no logarithms
        const double x = std::log(static_cast<double>(iterations) / reference_);
        double y = std::log(time);
        if (count_ > 0) {  // an interruption is no trend
            const double expected = y_ + exponent_ * (x - x_);
            y = std::clamp(y, expected - kMostOff, expected + kMostOff);
        }
        count_ = std::min(count_ + 1, kMemory);
        const double part = 1 / count_;
        const double dx = x - x_;
        const double dy = y - y_;
        x_ += part * dx;
        y_ += part * dy;
        xx_ = (1 - part) * (xx_ + part * dx * dx);
        xy_ = (1 - part) * (xy_ + part * dx * dy);
        exponent_ = count_ < kMinExecutions ? 1 : std::clamp((xy_ + kShrink) / (xx_ + kShrink), 0.0, kSteepest);
        if (std::abs(exponent_ - 1) < kSurely) exponent_ = 1;
    }

    /// What an execution of N iterations has to do, in iterations of the first one that was added; N itself where
    /// nothing else is known.
    [[nodiscard]] double work(std::uint64_t iterations) const noexcept {
        const auto n = static_cast<double>(iterations);
        return exponent_ == 1 || reference_ == 0 ? n : n * std::pow(n / reference_, exponent_ - 1);
    }

    [[nodiscard]] double exponent() const noexcept { return exponent_; }

private:
    static constexpr double kMemory = 200;        // executions
    static constexpr double kMinExecutions = 16;  // before there is a trend
    static constexpr double kShrink = 1e-4;       // of the variance of log N: where N hardly changes it says nothing
    static constexpr double kSurely = 0.15;       // a smaller deviation from 1 is noise
    static constexpr double kSteepest = 3;
    static constexpr double kMostOff = 0.3;  // of log time

    double reference_ = 0;
    double count_ = 0;
    double x_ = 0, y_ = 0;    // means of log N and log time
    double xx_ = 0, xy_ = 0;  // variance, covariance
    double exponent_ = 1;
};

}  // namespace gimbal
