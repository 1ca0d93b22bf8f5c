// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "gimbal/pin_settings.hpp"

namespace gimbal::pin {

/// Learns from one thread's experience, at one level, which choice is good. Every estimator offers both a strategy
/// and values, so that any optimiser can read it.
/// @threads the owner's  @cost O(K) per call
/// @source seed 001, section 4.4.3
class Estimator {
public:
    virtual ~Estimator() = default;

    /// Starts anew over K choices: uniform, or with most of the weight on one.
    /// @param first  index of that one; K or more: none
    void reset(std::size_t choices, std::size_t first, double sure);
    /// Only the strategy starts anew; what the choices were worth stays known.
    void prefer(std::size_t first, double sure);

    /// What a choice earned; what does not teach (u <= 0, nothing finite) is left out.
    /// @param choice   that was in force
    /// @param utility  u, mean over the period
    /// @param mean     V, that it is held against: u-bar of RL, the aspiration rho of APLA
    void observe(std::size_t choice, double utility, double mean);

    /// Probability to choose each; [K], sums to 1.
    [[nodiscard]] std::span<const double> strategy() const noexcept { return strategy_; }
    /// Remembered utility of each; [K], NaN where nothing was seen yet.
    [[nodiscard]] std::span<const double> values() const noexcept { return values_; }

protected:
    /// The strategy after an experience that teaches; values() already knows of it.
    virtual void learn(std::size_t choice, double utility, double mean) = 0;

    /// sigma <- sigma + step (e_choice - sigma), and the sum is 1 again.
    void lean(std::size_t choice, double step) noexcept;

    std::vector<double> strategy_;
    std::vector<double> values_;
};

/// @return never nullptr; call reset() first  @errors std::bad_alloc
[[nodiscard]] std::unique_ptr<Estimator> make_estimator(EstimatorKind kind, const Settings& settings);

/// A table of what each choice was last worth; the strategy plays the best of those seen, equal ones equally.
///
/// What was never seen gets nothing: trying it is the optimiser's business (lambda, or rule (a)).
/// @source reference on placement, 1c (estimator output = strategy or value table); test:
/// tests/unit/pinning/decide/rl_test.cpp
class AlEstimator final : public Estimator {
private:
    void learn(std::size_t, double, double) override {
        double best = 0;
        for (const double value : values_) best = std::isnan(value) ? best : std::max(best, value);
        double ties = 0;
        for (const double value : values_) ties += value >= best ? 1 : 0;
        for (std::size_t i = 0; i < values_.size(); ++i) strategy_[i] = values_[i] >= best ? 1 / ties : 0;
    }
};

/// Perturbed learning automaton (RL), and the one that is based on aspirations (APLA), with rho = V:
///
///     sigma += e phi(u, rho) (e_choice - sigma)   e = min(1, eps u / u-bar)
///     RL      phi = 1
///     APLA    phi = 1                                  where u >= 0.98 rho
///             phi = max(h, 1 - (rho - u) / (c rho))    below: what disappoints is hardly reinforced
///
/// The printed eps = 0.3 / v-bar / 1e8 makes sense only as 0.3 u / u-bar with a dimensionless 0.3. All rewards are
/// positive, so whatever is repeated locks in; what contrasts a good choice with a bad one in RL is u / u-bar alone.
/// @source RL: Chasparis, Rossbory 2017; seed 001, section 4.5.2; APLA: Chasparis, arXiv 1803.02751; reference on
///         placement, 1b (shape of phi); test: tests/unit/pinning/decide/rl_test.cpp
class AutomatonEstimator final : public Estimator {
public:
    /// @param step   eps, in (0, 1]
    /// @param floor  h, in (0, 1]; 1 is RL
    /// @param range  c, relative fall at which phi would be 0, > 0
    AutomatonEstimator(double step, double floor, double range) noexcept : step_(step), floor_(floor), range_(range) {}

    /// The factor by itself, in [h, 1].
    [[nodiscard]] static double phi(double utility, double aspiration, double floor, double range) noexcept {
        if (utility >= kContent * aspiration) return 1;
        return std::max(floor, 1 - (aspiration - utility) / (range * aspiration));
    }

private:
    /// Noise below this share of the aspiration is no disappointment.
    static constexpr double kContent = 0.98;

    void learn(std::size_t choice, double utility, double mean) override {
        lean(choice, phi(utility, mean, floor_, range_) * std::min(1.0, step_ * utility / mean));
    }

    double step_;
    double floor_;
    double range_;
};

}  // namespace gimbal::pin
