// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>

#include "learn/rewards/reward.hpp"

namespace gimbal::learn {

/// How far a loop time is from a tolerable multiple of the fastest one so far, this step included; so the first step
/// gets (tau - 1) times its own.
/// @source seed 000, section 4.2, robustness
class Robustness final : public Reward {
public:
    explicit Robustness(double tau) noexcept : tau_(tau) {}

    [[nodiscard]] double of(double signal) noexcept override {
        fastest_ = std::min(fastest_, signal);
        return tau_ * fastest_ - signal;
    }

private:
    double tau_;
    double fastest_ = std::numeric_limits<double>::infinity();
};

}  // namespace gimbal::learn
