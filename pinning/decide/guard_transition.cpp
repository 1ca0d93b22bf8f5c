// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/guard_transition.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace gimbal::pin {

void GuardTransition::remember_best() {
    best_.clear();
    for (const auto& [id, thread] : state_->threads) best_[id] = {thread.home, thread.memory.bound};
}

/// The operating system's own placement is the best start that is known: it has seen who else is there. It may have
/// been caught in the middle of a move, so no leaf gets more than its share and one. Every other trial begins
/// round-robin instead: what did not win once is not what to begin with again.
void GuardTransition::begin_trial() {
    const bool from_system = trials_++ % 2 == 0;
    ChoiceTree& tree = state_->tree;
    const double sure = state_->settings.sure;
    const double cores = tree.at(0).cores;
    const auto threads = static_cast<double>(state_->threads.size());
    const double max = threads <= cores ? 1 : std::ceil(threads / cores) + 1;
    std::vector<ThreadState*> homeless;
    state_->occupancy.clear_own();
    for (auto& [id, thread] : state_->threads) {
        thread.home = kNoChoice;
        const ChoiceId leaf = from_system && thread.seen_pu >= 0 ? tree.leaf_of(thread.seen_pu) : kNoChoice;
        if (leaf != kNoChoice && state_->occupancy.own(leaf) + 1 <= max * tree.at(leaf).cores)
            state_->settle(thread, leaf, sure, false);
        else
            homeless.push_back(&thread);
    }
    for (ThreadState* thread : homeless) state_->settle(*thread, state_->occupancy.emptiest(0), sure, false);
    for (auto& [id, thread] : state_->threads) memory_->enter(thread);
}

void GuardTransition::apply(const Guard& guard, bool fresh_trial, bool released, Changes& changes) {
    if (fresh_trial) begin_trial();
    const bool to_best = guard.phase() == Phase::hold;
    const Why why = guard.event().why;
    if (guard.phase() == Phase::learn) state_->exploration.restart();
    for (auto& [id, thread] : state_->threads) {
        changes[id] = why;
        const auto found = best_.find(id);
        const auto [leaf, memory] = to_best && found != best_.end() ? found->second : std::pair(kNoChoice, kNoMemory);
        if (leaf != kNoChoice && leaf != thread.home) state_->settle(thread, leaf, state_->settings.sure, false);
        // Means and benchmarks of another regime would fire, or never fire, for no reason.
        for (LevelLearner& level : thread.levels) level.forget();
        memory_->restore(thread, released, memory, why);
    }
}

}  // namespace gimbal::pin
