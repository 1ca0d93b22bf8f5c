// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "decide/estimators/estimator.hpp"
#include "decide/optimisers/optimiser.hpp"
#include "decide/running_mean.hpp"

namespace gimbal::pin {

/// One thread's learning at one level of choices: an estimator, an optimiser, and what was measured since the last
/// decision. Counts valid samples only, so that a blocked thread learns nothing and is not moved.
/// @threads the owner's  @cost see(): O(1), decide(): O(K)
/// @source seed 001, section 4.4; test: tests/unit/pinning/decide/placer_test.cpp
class LevelLearner {
public:
    /// @param late  samples that the first decision comes early, so that threads do not all decide at once
    LevelLearner(const Resource& resource, const Settings& settings, std::size_t late);

    /// The thread stands before other choices: the strategy starts anew, on one of them or uniform; so do the
    /// benchmarks if asked to.
    void enter(std::size_t choices, std::size_t first, double sure, bool forget);

    /// A sample's utility at the current choice, > 0.
    void see(double utility) noexcept;

    /// A period's samples are there.
    [[nodiscard]] bool due() const noexcept { return seen_ >= resource_->period && samples_ > 0; }

    /// Learns what the current choice earned and decides what comes next. @pre due()
    [[nodiscard]] Move decide(std::size_t current, const Prospects& prospects, double exploring, std::uint64_t now,
                              Random& random);

    /// What was measured is void: the thread was elsewhere, or released. The strategy stays.
    void forget() noexcept;
    /// Only the samples since the last decision are void.
    void drop_period() noexcept;

    [[nodiscard]] const Resource& resource() const noexcept { return *resource_; }
    [[nodiscard]] double mean() const noexcept { return mean_.value(); }
    [[nodiscard]] const Estimator& estimator() const noexcept { return *estimator_; }

private:
    const Resource* resource_;
    std::unique_ptr<Estimator> estimator_;
    std::unique_ptr<Optimiser> optimiser_;
    RunningMean mean_;         ///< V
    double sum_ = 0;           ///< of utilities since the last decision
    std::size_t samples_ = 0;  ///< of that sum
    std::size_t seen_;         ///< samples towards the period
    bool reset_;               ///< V and benchmarks start anew at every move
};

}  // namespace gimbal::pin
