// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "decide/estimators.hpp"
#include "decide/optimisers.hpp"
#include "decide/running_mean.hpp"

namespace gimbal::pin {

/// One thread's learning at one level of choices: an estimator, an optimiser, and what was measured since the last
/// decision. Counts valid samples only, so that a blocked thread learns nothing and is not moved.
/// @threads the owner's  @cost see(): O(1), decide(): O(K)
/// @source seed 001, section 4.4; test: tests/unit/pinning/decide/placer_test.cpp
class LevelLearner {
public:
    /// @param late  in turns: how many samples later than others a decision comes after stagger()
    LevelLearner(const Resource& resource, const Settings& settings, std::size_t late);

    /// The thread stands before other choices: the strategy starts anew, on one of them or uniform; so do the
    /// benchmarks if asked to.
    void enter(std::size_t choices, std::size_t first, double sure, bool forget);

    /// A sample's utility at the current choice, > 0.
    void see(double utility) noexcept;

    /// A period's samples are there.
    [[nodiscard]] bool due() const noexcept { return samples_ >= needed_; }

    /// Learns what the current choice earned and decides what comes next. @pre due()
    /// @param at  without mean, strategy and values, which are this learner's
    [[nodiscard]] Move decide(Situation at, Random& random);

    /// All threads begin at once: this one's next decision comes later than a period by its turn.
    void stagger() noexcept { needed_ = resource_->period + late_; }
    /// The strategy starts anew on one choice; what is known of the choices stays.
    void prefer(std::size_t choice, double sure) { estimator_->prefer(choice, sure); }

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
    std::size_t late_;         ///< [samples], below the period
    std::size_t needed_;       ///< samples that the next decision rests on
    bool reset_;               ///< V and benchmarks start anew at every move
};

}  // namespace gimbal::pin
