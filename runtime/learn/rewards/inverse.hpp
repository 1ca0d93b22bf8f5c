// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "learn/rewards/reward.hpp"

namespace gimbal::learn {

/// A multiple of one over the loop time; needs nothing from the steps before, and is the same for every first step.
/// @source seed 000, section 4.2, looptime-inverse
class Inverse final : public Reward {
public:
    explicit Inverse(double multiplier) noexcept : multiplier_(multiplier) {}

    [[nodiscard]] double of(double signal) noexcept override { return multiplier_ / signal; }

private:
    double multiplier_;
};

}  // namespace gimbal::learn
