// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/placer.hpp"

#include <algorithm>
#include <utility>

namespace gimbal::pin {

namespace {

/// A thread with this share of a processor has it to itself.
constexpr double kWhole = 0.97;

}  // namespace

Placer::Placer(Settings settings, MachineView machine, std::uint64_t seed)
    : state_(std::move(settings), std::move(machine), seed),
      joint_(state_),
      memory_(state_),
      guard_(state_.settings),
      transition_(state_, memory_) {}

bool Placer::system_places() const noexcept {
    const Mode mode = state_.settings.mode;
    return mode == Mode::observe || (mode == Mode::learn && guard_.released());
}

Decision Placer::join(ThreadId id, int where) {
    const auto [entry, fresh] = state_.threads.try_emplace(id, state_.settings, joined_);
    ThreadState& thread = entry->second;
    if (!fresh) return standing(id);
    ++joined_;
    set_changed_ = true;
    thread.seen_pu = where;
    state_.settle(thread, state_.occupancy.emptiest(0), state_.settings.sure, true);
    memory_.enter(thread);
    thread.told_released = system_places();
    thread.told_home = thread.home;
    thread.why = Why::joined;
    return standing(id);
}

void Placer::leave(ThreadId id) {
    const auto found = state_.threads.find(id);
    if (found == state_.threads.end()) return;
    state_.occupancy.add(found->second.home, -1);
    state_.threads.erase(found);
    transition_.forget(id);
    joint_.leave(id);
    set_changed_ = true;
}

Decision Placer::standing(ThreadId id) const {
    const ThreadState& thread = state_.threads.at(id);
    Decision decision{id, thread.told_released, {}, thread.memory.bound, thread.why, thread.memory.why};
    if (!thread.told_released) decision.pus = state_.tree.at(thread.told_home).pus;
    return decision;
}

std::vector<Decision> Placer::tick(std::span<const Sample> samples) {
    state_.expected.begin(++state_.now);
    const Settings& settings = state_.settings;
    SpeedSummary crowd;
    const bool saturated = see(samples, crowd);
    if (settings.mode != Mode::learn) return {};
    if (crowd.count() > 0)
        objective_ = gimbal::pin::objective(settings.resources.front().criterion, settings.gamma, crowd);
    Changes changes;
    const Guard::Step step = guard_.observe(crowd.count() > 0 ? objective_ : 0, crowd.count(), saturated,
                                            joint_.slowest(), joint_.tried() || !settings.team || settings.bind_memory);
    if (step.window_ended || guard_.settling()) joint_.open_window();
    if (step.best) transition_.remember_best();
    state_.exploration.tick(state_.now);
    const bool learns = guard_.phase() == Phase::learn;
    if (step.changed) {
        // What was gained or lost in other hands is not made up for: then windows could not be compared.
        joint_.forget();
        transition_.apply(guard_, step.fresh, system_places(), changes);
    } else if (learns) {
        learn(changes);
    }
    if (!system_places()) {
        if (learns) joint_.split(changes);
        joint_.rotate(changes);
        memory_.decide(learns, changes);
    }
    return emit(changes);
}

bool Placer::see(std::span<const Sample> samples, SpeedSummary& crowd) {
    std::vector<std::pair<ThreadState*, const Sample*>> seen;
    SpeedSummary efficient;
    bool saturated = true;
    for (const Sample& sample : samples) {
        const auto found = state_.threads.find(sample.thread);
        if (found == state_.threads.end() || !sample.valid || !teaches(sample.speed)) continue;
        crowd.add(sample.speed);
        saturated = saturated && sample.cpu_share >= kWhole;
        efficient.add(efficiency(sample));
        seen.emplace_back(&found->second, &sample);
        found->second.seen_pu = sample.pu;
        if (sample.memory != kNoMemory) found->second.memory.seen = sample.memory;
    }
    // A thread that has a processor to itself may still have its memory far away.
    if (crowd.count() == 0 || memory_.by() == MemoryBy::learning) saturated = false;
    joint_.see(samples, crowd.mean(), system_places());
    // While the operating system places a thread nobody knows where, its speed says nothing of its home.
    if (system_places()) return saturated;
    for (const auto& [thread, sample] : seen) {
        if (!memory_.see(*thread, *sample, efficient)) continue;
        for (std::size_t depth = 1; depth <= state_.tree.depth(); ++depth) {
            LevelLearner& level = thread->levels[depth - 1];
            const double u = utility(level.resource().criterion, state_.settings.gamma, sample->speed, crowd);
            level.see(u);
            state_.expected.add(state_.tree.around(thread->home, depth), u);
        }
    }
    state_.expected.close();
    return saturated;
}

void Placer::reshuffle() {
    last_shuffle_ = state_.now;
    set_changed_ = false;
    for (auto& [id, thread] : state_.threads) {
        for (LevelLearner& level : thread.levels) {
            const std::size_t choices = level.estimator().strategy().size();
            level.enter(choices, choices, 0, false);
        }
    }
}

void Placer::learn(Changes& changes) {
    // Threads that come and go all the time must not keep the others from learning anything.
    if (state_.settings.reshuffle && set_changed_ && state_.now >= last_shuffle_ + kCalmTicks) reshuffle();
    for (auto& [id, thread] : state_.threads) {
        Why why = Why::kept;
        learn_thread(thread, why);
        if (why != Why::kept) changes[id] = why;
    }
}

void Placer::learn_thread(ThreadState& thread, Why& why) {
    for (std::size_t depth = 1; depth <= state_.tree.depth(); ++depth) {
        LevelLearner& level = thread.levels[depth - 1];
        if (!level.due()) continue;
        const Choice& current = state_.tree.at(state_.tree.around(thread.home, depth));
        const Move next =
            level.decide({.current = current.place,
                          .weights = [&] { return state_.expected.weights(current.parent, thread.home); },
                          .expected = [&] { return state_.expected.expected(current.parent, thread.home); },
                          .exploring = state_.exploration.factor(),
                          .now = state_.now},
                         state_.random);
        if (next.dropped) state_.exploration.dropped(state_.now);
        if (next.choice == current.place) continue;
        why = next.why;
        state_.move(thread, depth, next.choice);
        return;  // finer levels stand before new choices
    }
}

// The last to come goes first, as if it had come now.
void Placer::spread_out() {
    const Occupancy& occupancy = state_.occupancy;
    for (auto entry = state_.threads.rbegin(); entry != state_.threads.rend(); ++entry) {
        ThreadState& thread = entry->second;
        const ChoiceId free = occupancy.emptiest(0);
        if (occupancy.load_without_one(thread.home) > occupancy.load(free))
            state_.settle(thread, free, state_.settings.sure, true);
    }
}

std::vector<Decision> Placer::machine_changed(MachineView machine) {
    std::map<ThreadId, std::vector<int>> before;
    for (const auto& [id, thread] : state_.threads) before[id] = state_.tree.at(thread.home).pus;
    state_.adopt(std::move(machine));
    const double sure = state_.settings.sure;
    transition_.forget();
    // Speed may be in another unit now, too.
    guard_.doubt();
    joint_.forget();
    joint_.open_window();
    memory_.find_memories();
    Changes changes;
    // First those whose place is still there, so that the others find what is free.
    for (auto& [id, thread] : state_.threads) {
        for (const int pu : before[id]) {
            const ChoiceId leaf = thread.home == kNoChoice ? state_.tree.leaf_of(pu) : kNoChoice;
            if (leaf != kNoChoice) state_.settle(thread, leaf, sure, true);
        }
    }
    for (auto& [id, thread] : state_.threads) {
        if (thread.home == kNoChoice) state_.settle(thread, state_.occupancy.emptiest(0), sure, true);
    }
    // Where nobody learns, nobody else would ever find processors that have come.
    if (state_.settings.mode == Mode::fixed) spread_out();
    for (auto& [id, thread] : state_.threads) {
        memory_.enter(thread);
        if (thread.told_released) {
            thread.told_home = thread.home;
            continue;
        }
        // The index may be the same and mean something else.
        thread.told_home = state_.tree.at(thread.home).pus == before[id] ? thread.home : kNoChoice;
        changes[id] = Why::machine;
    }
    return emit(changes);
}

std::vector<Decision> Placer::emit(const Changes& changes) {
    std::vector<Decision> decisions;
    const bool released = system_places();
    for (const auto& [id, why] : changes) {
        ThreadState& thread = state_.threads.at(id);
        const bool same = thread.told_released == released && (released || thread.told_home == thread.home);
        ThreadMemory& memory = thread.memory;
        if (same && memory.to_bind == kNoMemory) continue;
        thread.told_released = released;
        thread.told_home = thread.home;
        thread.why = same ? Why::memory : why;
        Decision decision{id, released, {}, memory.to_bind, thread.why, memory.why};
        if (!released) decision.pus = state_.tree.at(thread.home).pus;
        if (memory.to_bind != kNoMemory) memory.bound = memory.to_bind == kUnbind ? kNoMemory : memory.to_bind;
        memory.to_bind = kNoMemory;
        decisions.push_back(std::move(decision));
    }
    return decisions;
}

}  // namespace gimbal::pin
