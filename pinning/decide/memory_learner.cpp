// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/memory_learner.hpp"

#include <cassert>
#include <limits>
#include <utility>

namespace gimbal::pin {

namespace {

/// How often is limited outside, for all optimisers alike.
Settings unlimited(Settings settings) {
    settings.al_dwell = 0;
    settings.al_moves = 0;
    return settings;
}

}  // namespace

MemoryLearner::MemoryLearner(const Settings& settings, std::size_t late)
    : learner_(settings.numa_memory, unlimited(settings), late), sure_(settings.sure), margin_(settings.al_margin) {
    enter(1, 0, kNowhere);
}

void MemoryLearner::enter(std::size_t memories, std::size_t where, std::size_t near) {
    assert(where < memories && (near < memories || near == kNowhere));
    seen_.assign(memories, 0);
    where_ = where;
    near_ = near;
    begin(true);
}

void MemoryLearner::moved_beside(std::size_t near) {
    if (near == near_) return;
    near_ = near;
    seen_.assign(seen_.size(), 0);
    begin(false);  // V goes on: a fall shows that the memory is far now
}

void MemoryLearner::put(std::size_t where) {
    where_ = where;
    learner_.drop_period();
    learner_.prefer(where_, sure_);
    try_near_ = false;
    from_ = kNowhere;
}

void MemoryLearner::begin(bool forget) {
    learner_.enter(seen_.size(), where_, sure_, forget);
    try_near_ = near_ != kNowhere && near_ != where_;
    from_ = kNowhere;
}

Move MemoryLearner::follow() {
    try_near_ = false;
    from_ = where_;
    learner_.prefer(near_, sure_);
    return {near_, Why::followed};
}

Move MemoryLearner::judge() {
    const std::span<const double> values = learner_.estimator().values();
    const std::size_t old = std::exchange(from_, kNowhere);
    if (!((1 + margin_) * values[where_] < values[old])) return {where_, Why::kept};
    learner_.prefer(old, sure_);
    return {old, Why::undone};
}

Move MemoryLearner::decide(bool may_move, std::uint64_t keep, double exploring, std::uint64_t now, Random& random) {
    assert(due());
    seen_[where_] = now;
    // What the thread itself remembers, as long as it is fresh. Nobody else is asked: what one thread gains by near
    // memory says little of another, whose work may fit a cache.
    const std::uint64_t oldest = now > keep ? now - keep : 1;
    const auto fresh_values = [&] {
        const std::span<const double> values = learner_.estimator().values();
        std::vector<double> fresh(values.begin(), values.end());
        for (std::size_t i = 0; i < fresh.size(); ++i)
            if (seen_[i] < oldest) fresh[i] = std::numeric_limits<double>::quiet_NaN();
        return fresh;
    };
    const bool trial = try_near_ || from_ != kNowhere;
    Move move = learner_.decide({.current = where_,
                                 .weights = [&] { return std::vector<double>(seen_.size(), 1); },
                                 .expected = fresh_values,
                                 .exploring = exploring,
                                 .now = now,
                                 .may_move = may_move && !trial},
                                random);
    if (may_move && trial) move = try_near_ ? follow() : judge();
    where_ = move.choice;
    return move;
}

}  // namespace gimbal::pin
