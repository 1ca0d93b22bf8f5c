// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/rewards/reward.hpp"

namespace gimbal::learn {

/// Good below the mean of the last steps, or of as many as there are, bad otherwise. The first step is neutral.
/// @source seed 000, section 4.2, looptime-rolling-average
class BelowRollingAverage final : public Reward {
public:
    /// A window longer than this is cut: a mean over so many steps no longer rolls, and memory is bounded [steps].
    static constexpr std::uint32_t kLongestWindow = 4096;

    /// @param rewards  good, neutral, bad  @param window  [steps]; 0 counts as 1  @errors std::bad_alloc
    BelowRollingAverage(const std::array<double, 3>& rewards, std::uint32_t window)
        : rewards_(rewards), last_(std::clamp<std::uint32_t>(window, 1, kLongestWindow)) {}

    [[nodiscard]] double of(double signal) noexcept override {
        double reward = rewards_[1];
        if (filled_ > 0) reward = signal < sum_ / static_cast<double>(filled_) ? rewards_[0] : rewards_[2];
        last_[next_] = signal;
        next_ = (next_ + 1) % last_.size();
        filled_ = std::min(filled_ + 1, last_.size());
        // Added up anew: a sum that is only corrected keeps the rounding errors of signals long gone.
        sum_ = 0;
        for (std::size_t i = 0; i < filled_; ++i) sum_ += last_[i];
        return reward;
    }

private:
    std::array<double, 3> rewards_;
    std::vector<double> last_;  // ring
    std::size_t next_ = 0;
    std::size_t filled_ = 0;
    double sum_ = 0;
};

}  // namespace gimbal::learn
