// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/level_learner.hpp"

#include <cassert>

namespace gimbal::pin {

LevelLearner::LevelLearner(const Resource& resource, const Settings& settings, std::size_t late)
    : resource_(&resource),
      estimator_(make_estimator(resource.estimator, settings)),
      optimiser_(make_optimiser(resource.optimiser, settings)),
      mean_(settings.mean_step),
      late_(late % resource.period),
      needed_(resource.period),
      reset_(settings.al_reset) {}

void LevelLearner::enter(std::size_t choices, std::size_t first, double sure, bool forget_all) {
    estimator_->reset(choices, first, sure);
    drop_period();
    if (forget_all) forget();
}

void LevelLearner::see(double utility) noexcept {
    if (!teaches(utility)) return;
    mean_.add(utility);
    sum_ += utility;
    ++samples_;
}

Move LevelLearner::decide(Situation at, Random& random) {
    assert(due());
    estimator_->observe(at.current, sum_ / static_cast<double>(samples_), mean_.value());
    drop_period();
    needed_ = resource_->period;
    at.mean = mean_.value();
    at.strategy = estimator_->strategy();
    at.values = estimator_->values();
    const Move move = optimiser_->decide(at, random);
    if (move.choice != at.current && reset_) forget();
    return move;
}

void LevelLearner::forget() noexcept {
    mean_.forget();
    optimiser_->forget();
    drop_period();
}

void LevelLearner::drop_period() noexcept {
    sum_ = 0;
    samples_ = 0;
}

}  // namespace gimbal::pin
