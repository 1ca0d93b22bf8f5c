// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/placer.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gimbal::pin {

namespace {

/// A thread with this share of a processor has it to itself.
constexpr double kWhole = 0.97;
/// Without a drop for so long, less is explored; and strategies start anew no sooner again [ticks].
constexpr std::uint64_t kCalm = 15;

std::vector<Level> levels_of(const Settings& settings) {
    std::vector<Level> levels;
    for (const Resource& resource : settings.resources) levels.push_back(resource.level);
    return levels;
}

}  // namespace

Placer::Placer(Settings settings, MachineView machine, std::uint64_t seed)
    : settings_(std::move(settings)),
      machine_(std::move(machine)),
      levels_(levels_of(settings_)),
      tree_(machine_, levels_, settings_.group),
      occupancy_(tree_),
      promises_(tree_, kPromiseStep, settings_.memory),
      team_(tree_, kPromiseStep, settings_.memory),
      random_(seed),
      guard_(settings_) {
    events_.push_back(guard_.event());
    find_memories();
}

Placer::~Placer() = default;

bool Placer::system_places() const noexcept {
    return settings_.mode == Mode::observe || (settings_.mode == Mode::learn && guard_.released());
}

Decision Placer::join(ThreadId id, int where) {
    const auto [entry, fresh] = threads_.try_emplace(id, settings_, joined_);
    ThreadState& thread = entry->second;
    if (!fresh) return standing(id);
    ++joined_;
    set_changed_ = true;
    thread.seen_pu = where;
    settle(thread, occupancy_.emptiest(0), settings_.sure, true);
    enter_memory(thread);
    thread.told_released = system_places();
    thread.told_home = thread.home;
    thread.why = Why::joined;
    return standing(id);
}

void Placer::leave(ThreadId id) {
    const auto found = threads_.find(id);
    if (found == threads_.end()) return;
    occupancy_.add(found->second.home, -1);
    threads_.erase(found);
    best_.erase(id);
    rotation_.leave(id);
    set_changed_ = true;
}

Decision Placer::standing(ThreadId id) const {
    const ThreadState& thread = threads_.at(id);
    Decision decision{id, thread.told_released, {}, thread.memory.bound, thread.why, thread.memory.why};
    if (!thread.told_released) decision.pus = tree_.at(thread.told_home).pus;
    return decision;
}

std::vector<Decision> Placer::tick(std::span<const Sample> samples) {
    ++now_;
    Crowd crowd;
    bool saturated = true;
    see(samples, saturated, crowd);
    if (settings_.mode != Mode::learn) return {};
    if (crowd.count() > 0)
        objective_ = gimbal::pin::objective(settings_.resources.front().criterion, settings_.gamma, crowd);
    Changes changes;
    const Guard::Step step = guard_.observe(crowd.count() > 0 ? objective_ : 0, crowd.count(), saturated, slowest(),
                                            tried_ || !settings_.team || settings_.bind_memory);
    if (step.window_ended || guard_.settling()) open_window();
    if (step.best) remember_best();
    if (now_ - last_drop_ >= kCalm && now_ % kCalm == 0) anneal_.calm();
    if (step.turned)
        apply_turn(step, changes);
    else if (guard_.phase() == Phase::learn)
        learn(changes);
    if (!system_places()) {
        if (guard_.phase() == Phase::learn) follow_team(changes);
        rotate(changes);
    }
    decide_memory(changes);
    return emit(changes);
}

void Placer::see(std::span<const Sample> samples, bool& saturated, Crowd& crowd) {
    std::vector<std::pair<ThreadState*, const Sample*>> seen;
    Crowd efficient;
    for (const Sample& sample : samples) {
        const auto found = threads_.find(sample.thread);
        if (found == threads_.end() || !sample.valid || !teaches(sample.speed)) continue;
        crowd.add(sample.speed);
        saturated = saturated && sample.cpu_share >= kWhole;
        efficient.add(efficiency(sample));
        seen.emplace_back(&found->second, &sample);
        found->second.seen_pu = sample.pu;
        if (sample.memory != kNoMemory) found->second.memory.seen = sample.memory;
    }
    // A thread that has a processor to itself may still have its memory far away.
    if (crowd.count() == 0 || memory_by() == MemoryBy::learning) saturated = false;
    see_team(samples, crowd);
    // While the operating system places a thread nobody knows where, its speed says nothing of its home.
    if (system_places()) return;
    for (const auto& [thread, sample] : seen) {
        if (thread->memory.settling > 0) {
            --thread->memory.settling;
            continue;
        }
        see_memory(*thread, *sample, efficient);
        for (std::size_t depth = 1; depth <= tree_.depth(); ++depth) {
            LevelLearner& level = thread->levels[depth - 1];
            const double u = utility(level.resource().criterion, settings_.gamma, sample->speed, crowd);
            level.see(u);
            promises_.add(tree_.around(thread->home, depth), u);
        }
    }
    promises_.close(now_);
}

void Placer::reshuffle() {
    last_shuffle_ = now_;
    set_changed_ = false;
    for (auto& [id, thread] : threads_) {
        for (LevelLearner& level : thread.levels) {
            const std::size_t choices = level.estimator().strategy().size();
            level.enter(choices, choices, 0, false);
        }
    }
}

void Placer::learn(Changes& changes) {
    // Threads that come and go all the time must not keep the others from learning anything.
    if (settings_.reshuffle && set_changed_ && now_ >= last_shuffle_ + kCalm) reshuffle();
    for (auto& [id, thread] : threads_) {
        Why why = Why::kept;
        learn_thread(thread, why);
        if (why != Why::kept) changes[id] = why;
    }
}

void Placer::learn_thread(ThreadState& thread, Why& why) {
    for (std::size_t depth = 1; depth <= tree_.depth(); ++depth) {
        LevelLearner& level = thread.levels[depth - 1];
        if (!level.due()) continue;
        const Choice& current = tree_.at(tree_.around(thread.home, depth));
        const Outlook outlook(scene(), current.parent, thread.home, now_);
        const Move next = level.decide(current.place, outlook, anneal_.factor(), now_, random_);
        if (next.dropped) {
            anneal_.restart();
            last_drop_ = now_;
        }
        if (next.choice == current.place) continue;
        why = next.why;
        move(thread, depth, next.choice);
        return;  // finer levels stand before new choices
    }
}

void Placer::move(ThreadState& thread, std::size_t depth, std::size_t choice) {
    const ChoiceId from = tree_.around(thread.home, depth);
    const ChoiceId to = tree_.at(tree_.at(from).parent).inside[choice];
    const ChoiceId leaf = Outlook(scene(), to, thread.home, now_).best_leaf(to);
    occupancy_.add(thread.home, -1);
    thread.home = leaf;
    occupancy_.add(thread.home, 1);
    ++thread.moves;
    for (std::size_t inner = depth + 1; inner <= tree_.depth(); ++inner) {
        const Choice& at = tree_.at(tree_.around(thread.home, inner));
        thread.levels[inner - 1].enter(tree_.at(at.parent).inside.size(), at.place,
                                       settings_.reshuffle ? 0 : settings_.sure, true);
    }
    // What was measured at the old place says nothing of the new one; V itself goes on.
    for (std::size_t outer = 1; outer <= depth; ++outer) thread.levels[outer - 1].drop_period();
    thread.memory.learner.moved_beside(memory_near(thread));
}

void Placer::settle(ThreadState& thread, ChoiceId leaf, double sure, bool forget) {
    if (thread.home != kNoChoice) occupancy_.add(thread.home, -1);
    thread.home = leaf;
    occupancy_.add(leaf, 1);
    for (std::size_t depth = 1; depth <= tree_.depth(); ++depth) {
        const Choice& at = tree_.at(tree_.around(leaf, depth));
        LevelLearner& level = thread.levels[depth - 1];
        level.enter(tree_.at(at.parent).inside.size(), at.place, sure, forget);
        level.stagger();
    }
    thread.memory.learner.moved_beside(memory_near(thread));
}

std::vector<Decision> Placer::emit(const Changes& changes) {
    std::vector<Decision> decisions;
    const bool released = system_places();
    for (const auto& [id, why] : changes) {
        ThreadState& thread = threads_.at(id);
        const bool same = thread.told_released == released && (released || thread.told_home == thread.home);
        ThreadMemory& memory = thread.memory;
        if (same && memory.to_bind == kNoMemory) continue;
        thread.told_released = released;
        thread.told_home = thread.home;
        thread.why = same ? Why::memory : why;
        Decision decision{id, released, {}, memory.to_bind, thread.why, memory.why};
        if (!released) decision.pus = tree_.at(thread.home).pus;
        if (memory.to_bind != kNoMemory) memory.bound = memory.to_bind == kUnbind ? kNoMemory : memory.to_bind;
        memory.to_bind = kNoMemory;
        decisions.push_back(std::move(decision));
    }
    return decisions;
}

}  // namespace gimbal::pin
