// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to all threads at once: the guard turns, or the machine changes.
#include <cmath>

#include "decide/placer.hpp"

namespace gimbal::pin {

namespace {

constexpr std::size_t kMostEvents = 4096;

}  // namespace

void Placer::remember_best() {
    best_.clear();
    for (const auto& [id, thread] : threads_) best_[id] = {thread.home, thread.memory.bound};
}

/// The operating system's own placement is the best start that is known: it has seen who else is there. It may have
/// been caught in the middle of a move, so no leaf gets more than its share and one. Every other trial begins
/// round-robin instead: what did not win once is not what to begin with again.
void Placer::begin_trial() {
    const bool from_system = trials_++ % 2 == 0;
    const double cores = tree_.at(0).cores;
    const auto threads = static_cast<double>(threads_.size());
    const double most = threads <= cores ? 1 : std::ceil(threads / cores) + 1;
    std::vector<ThreadState*> homeless;
    occupancy_.clear_own();
    for (auto& [id, thread] : threads_) {
        thread.home = kNoChoice;
        const ChoiceId leaf = from_system && thread.seen_pu >= 0 ? tree_.leaf_of(thread.seen_pu) : kNoChoice;
        if (leaf != kNoChoice && occupancy_.own(leaf) + 1 <= most * tree_.at(leaf).cores)
            settle(thread, leaf, settings_.sure, false);
        else
            homeless.push_back(&thread);
    }
    for (ThreadState* thread : homeless) settle(*thread, occupancy_.emptiest(0), settings_.sure, false);
    for (auto& [id, thread] : threads_) enter_memory(thread);
}

void Placer::apply_turn(const Guard::Step& step, Changes& changes) {
    if (step.fresh) begin_trial();
    if (events_.size() < kMostEvents) events_.push_back(guard_.event());
    const bool to_best = guard_.phase() == Phase::hold;
    if (guard_.phase() == Phase::learn) anneal_.restart();
    // What was gained or lost in other hands is not made up for: then windows could not be compared.
    rotation_.forget();
    for (auto& [id, thread] : threads_) {
        changes[id] = guard_.event().why;
        const auto found = best_.find(id);
        const Best* const best = to_best && found != best_.end() ? &found->second : nullptr;
        if (best != nullptr && best->leaf != thread.home) settle(thread, best->leaf, settings_.sure, false);
        // Means and benchmarks of another regime would fire, or never fire, for no reason.
        for (LevelLearner& level : thread.levels) level.forget();
        turn_memory(thread, best);
    }
}

// The last to come goes first, as if it had come now.
void Placer::spread_out() {
    for (auto entry = threads_.rbegin(); entry != threads_.rend(); ++entry) {
        ThreadState& thread = entry->second;
        const ChoiceId free = occupancy_.emptiest(0);
        if (occupancy_.load_without_one(thread.home) > occupancy_.load(free))
            settle(thread, free, settings_.sure, true);
    }
}

std::vector<Decision> Placer::machine_changed(MachineView machine) {
    std::map<ThreadId, std::vector<int>> before;
    for (const auto& [id, thread] : threads_) before[id] = tree_.at(thread.home).pus;
    machine_ = std::move(machine);
    tree_ = ChoiceTree(machine_, levels_, settings_.group);
    occupancy_ = Occupancy(tree_);
    promises_ = Promises(tree_, kPromiseStep, settings_.memory);
    team_ = Team(tree_, kPromiseStep, settings_.memory);
    best_.clear();
    // Speed may be in another unit now, too.
    guard_.doubt();
    rotation_.forget();
    open_window();
    find_memories();
    Changes changes;
    for (auto& [id, thread] : threads_) thread.home = kNoChoice;
    // First those whose place is still there, so that the others find what is free.
    for (auto& [id, thread] : threads_) {
        for (const int pu : before[id]) {
            const ChoiceId leaf = thread.home == kNoChoice ? tree_.leaf_of(pu) : kNoChoice;
            if (leaf != kNoChoice) settle(thread, leaf, settings_.sure, true);
        }
    }
    for (auto& [id, thread] : threads_) {
        if (thread.home == kNoChoice) settle(thread, occupancy_.emptiest(0), settings_.sure, true);
    }
    // Where nobody learns, nobody else would ever find processors that have come.
    if (settings_.mode == Mode::fixed) spread_out();
    for (auto& [id, thread] : threads_) {
        enter_memory(thread);
        if (thread.told_released) {
            thread.told_home = thread.home;
            continue;
        }
        // The index may be the same and mean something else.
        thread.told_home = tree_.at(thread.home).pus == before[id] ? thread.home : kNoChoice;
        changes[id] = Why::machine;
    }
    return emit(changes);
}

}  // namespace gimbal::pin
