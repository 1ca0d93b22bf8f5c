// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "learn/rewards/reward.hpp"

namespace gimbal::learn {

/// Good within 5 % of the lowest signal so far, bad within 5 % of the highest, neutral between.
///
/// The first signal is lowest and highest at once, and so it is good. Each bound moves only on a step that it judges: a
/// signal that is good leaves the highest alone, and one that is above both bounds by less than 5 % of the lowest is
/// good. Bands multiply, so a lowest signal of 0 makes only 0 good.
/// @source seed 000, algorithm 4
class Bands final : public Reward {
public:
    /// @param rewards  good, neutral, bad
    explicit Bands(const std::array<double, 3>& rewards) noexcept : rewards_(rewards) {}

    [[nodiscard]] double of(double signal) noexcept override {
        if (!seen_) {
            seen_ = true;
            lowest_ = signal;
            highest_ = signal;
        }
        if (signal <= (1 + kBand) * lowest_) {
            if (signal < lowest_) lowest_ = signal;
            return rewards_[0];
        }
        if (signal >= (1 - kBand) * highest_) {
            if (signal > highest_) highest_ = signal;
            return rewards_[2];
        }
        return rewards_[1];
    }

private:
    static constexpr double kBand = 0.05;

    std::array<double, 3> rewards_;
    double lowest_ = 0;
    double highest_ = 0;
    bool seen_ = false;
};

}  // namespace gimbal::learn
