// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What iterations take, and cost: learnt from timed executions, and shown of a part of a loop over ranks.
#include <algorithm>
#include <memory>
#include <vector>

#include "loop/length_learning.hpp"

namespace gimbal {

// A mean over the workers; where they were stopped, with the machine or the program, no more than is believed. [ticks]
double LengthLearning::usual(double busy_mean, std::uint64_t iterations) const noexcept {
    constexpr double kBelieved = 100;  // times as long as the ones before
    if (!(busy_mean_ > 0) || iterations == 0) return busy_mean;
    return std::min(busy_mean, kBelieved * busy_mean_ / iterations_ * static_cast<double>(iterations));
}

// Mean time of an iteration, mostly over the last hundred executions [ticks]; 0: not known.
double LengthLearning::mean_time() const noexcept {
    if (iterations_ == 0) return earlier_time_;
    return busy_mean_ * traits_.workers / iterations_;
}

// The same for another trip count; not from executions whose time is that of entering and leaving the loop.
double LengthLearning::time_for_others() const noexcept {
    constexpr double kLongEnough_s = 20e-6;
    const bool long_enough =
        calls_ > 0 && loop_time_ / static_cast<double>(calls_) * traits_.clock.tick_s() > kLongEnough_s;
    return long_enough ? mean_time() : 0;
}

// What iterations of the part cost, over the mean of all of the loop over ranks; 1 where that is not known.
double LengthLearning::costliness(const RankPart& part, std::uint64_t iterations) const noexcept {
    if (!part || !traits_.whole.known() || iterations == 0) return 1;
    const auto all = static_cast<double>(part.whole);
    const auto first = static_cast<double>(part.first);
    const double cost =
        traits_.whole.before((first + static_cast<double>(iterations)) / all) - traits_.whole.before(first / all);
    return cost > 0 ? cost * all / (traits_.whole.total() * static_cast<double>(iterations)) : 1;
}

// The profile of the iterations that this execution runs.
void LengthLearning::show_part(const RankPart& part, std::uint64_t iterations) {
    if (!traits_.whole.known() || iterations == 0) return;
    if (!profile_) profile_ = std::make_unique<CostProfile>();
    profile_->show(traits_.whole, {part.first, part.first + iterations}, part.whole,
                   CostProfile::bins_for(iterations, traits_.workers));
    model_.profile = profile_->known() ? profile_.get() : nullptr;
    ++model_.profile_version;
}

void LengthLearning::learn_profile(const Finished& finished) {
    constexpr double kOtherLoop = 0.15;  // of the profile vanished at once: what was learnt is of no use
    constexpr double kMoved = 0.01;      // what would put each worker's block so much out of balance
    constexpr std::uint32_t kMostUnmoved = 8;
    const std::uint64_t begin = traits_.clock.now();
    if (!profile_) profile_ = std::make_unique<CostProfile>();
    std::vector<const ChunkCosts*> costs;
    for (std::uint32_t i = 0; i < traits_.workers; ++i) costs.push_back(finished.slots[i].costs.get());
    if (finished.part) show_part(finished.part, finished.plan.iterations);
    const std::vector<ComparedCosts> compared = profile_->compare(costs);
    const CostShape shape = profile_->known() ? profile_->shape() : CostShape{};
    if (vanished_part(compared) > kOtherLoop) {
        if (!finished.part) profile_->doubt();
        slowness_ = {};
    } else {
        traits_.loss = traits_.rates.add(costs, compared);
        slowness_.add(compared);
    }
    if (finished.part) {
        traits_.whole.learn_part(costs, finished.part.first, finished.part.whole, slowness_.factors());
        show_part(finished.part, finished.plan.iterations);
    } else {
        profile_->learn(costs, slowness_.factors());
    }
    if (!profile_->known()) return;
    const bool moved = difference(shape, profile_->shape()) * traits_.workers > kMoved;
    unmoved_ = moved ? 0 : std::min(unmoved_ + 1, kMostUnmoved);
    model_.profile = profile_.get();
    ++model_.profile_version;
    profile_cost_ = static_cast<double>(traits_.clock.now() - begin);  // the plan's comes on top
    profiled_at_ = loop_time_;
}

}  // namespace gimbal
