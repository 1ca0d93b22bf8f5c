// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/rewards.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gimbal::learn {
namespace {

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

/// A multiple of one over the loop time; needs nothing from the steps before, and is the same for every first step.
/// @source seed 000, section 4.2, looptime-inverse
class Inverse final : public Reward {
public:
    explicit Inverse(double multiplier) noexcept : multiplier_(multiplier) {}

    [[nodiscard]] double of(double signal) noexcept override { return multiplier_ / signal; }

private:
    double multiplier_;
};

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

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

double positive(double value) noexcept {
    return std::isfinite(value) && value > 0 ? value : kNotMeasured;
}

double magnitude(double value) noexcept {
    return std::isfinite(value) ? std::abs(value) : kNotMeasured;
}

}  // namespace

double signal_of(RewardKind kind, const Signals& signals) noexcept {
    switch (kind) {
        case RewardKind::looptime:
        case RewardKind::looptime_average:
        case RewardKind::looptime_rolling_average:
        case RewardKind::looptime_inverse:
        case RewardKind::robustness:
            return positive(signals.loop_time_s);
        case RewardKind::loadimbalance:
            return magnitude(signals.imbalance.percent_imbalance);
        case RewardKind::stddev:
            return magnitude(signals.imbalance.sd);
        case RewardKind::cov:
            return magnitude(signals.imbalance.cov);
        // Bands that multiply mean nothing for negative signals, and a distribution leaning either way is as bad.
        case RewardKind::skewness:
            return magnitude(signals.imbalance.skewness);
        case RewardKind::kurtosis:
            return magnitude(signals.imbalance.kurtosis);
        case RewardKind::ips:
            return positive(1 / positive(signals.instructions_per_second));
    }
    return kNotMeasured;
}

std::unique_ptr<Reward> make_reward(const Parameters& parameters) {
    switch (parameters.reward) {
        case RewardKind::looptime_average:
            return std::make_unique<BelowAverage>(parameters.rewards);
        case RewardKind::looptime_rolling_average:
            return std::make_unique<BelowRollingAverage>(parameters.rewards, parameters.average_window);
        case RewardKind::looptime_inverse:
            return std::make_unique<Inverse>(parameters.inverse_multiplier);
        case RewardKind::robustness:
            return std::make_unique<Robustness>(parameters.tau);
        default:
            return std::make_unique<Bands>(parameters.rewards);
    }
}

}  // namespace gimbal::learn
