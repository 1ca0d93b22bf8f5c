// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "learn/rewards/reward.hpp"

namespace gimbal::learn {

/// Good below the mean of all steps before, bad otherwise. The first step has none before it: neutral.
/// @source seed 000, section 4.2, looptime-average
class BelowAverage final : public Reward {
public:
    /// @param rewards  good, neutral, bad
    explicit BelowAverage(const std::array<double, 3>& rewards) noexcept : rewards_(rewards) {}

    [[nodiscard]] double of(double signal) noexcept override {
        const double reward = steps_ == 0 ? rewards_[1] : signal < mean_ ? rewards_[0] : rewards_[2];
        ++steps_;
        mean_ += (signal - mean_) / steps_;
        return reward;
    }

private:
    std::array<double, 3> rewards_;
    double mean_ = 0;
    double steps_ = 0;  // a double: it is only divided by
};

}  // namespace gimbal::learn
