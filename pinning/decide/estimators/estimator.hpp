// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "gimbal/pin_settings.hpp"

namespace gimbal::pin {

/// What a choice earned: its utility, and the running mean that it is held against.
struct Experience {
    double utility = 0;  ///< u, mean over the period
    double mean = 0;     ///< V: u-bar of RL, the aspiration rho of APLA
};

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

    /// @param choice  what was in force; what does not teach (u <= 0, nothing finite) is left out
    void observe(std::size_t choice, const Experience& seen);

    /// Probability to choose each; [K], sums to 1.
    [[nodiscard]] std::span<const double> strategy() const noexcept { return strategy_; }
    /// Remembered utility of each; [K], NaN where nothing was seen yet.
    [[nodiscard]] std::span<const double> values() const noexcept { return values_; }

protected:
    /// The strategy after an experience that teaches; values() already knows of it.
    virtual void learn(std::size_t choice, const Experience& seen) = 0;

    /// sigma <- sigma + step (e_choice - sigma), and the sum is 1 again.
    void lean(std::size_t choice, double step) noexcept;

    std::vector<double> strategy_;
    std::vector<double> values_;
};

/// @return never nullptr; call reset() first  @errors std::bad_alloc
[[nodiscard]] std::unique_ptr<Estimator> make_estimator(EstimatorKind kind, const Settings& settings);

}  // namespace gimbal::pin
