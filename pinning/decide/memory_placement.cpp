// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/memory_placement.hpp"

#include <algorithm>

namespace gimbal::pin {

namespace {

/// Samples that a move of pages spoils: they were copied then, and caches were cold.
constexpr std::size_t kSettling = 2;

/// Of a processor, below which speed per processor time is noise.
constexpr double kMinShare = 0.05;

}  // namespace

double efficiency(const Sample& sample) noexcept {
    if (sample.cpu_share < 0) return sample.speed;
    return sample.cpu_share < kMinShare ? 0 : sample.speed / sample.cpu_share;
}

int memory_to_bind(int memory_node, std::size_t here, std::size_t all, double zeta, std::size_t memories) noexcept {
    if (memories < 2 || memory_node == kNoMemory) return kNoMemory;
    return static_cast<double>(here) > zeta * static_cast<double>(all) ? memory_node : kNoMemory;
}

MemoryBy MemoryPlacement::by() const noexcept {
    const Settings& settings = state_->settings;
    if (!settings.bind_memory || state_->memories.size() < 2) return MemoryBy::nobody;
    return settings.learn_memory && sees_memory_ ? MemoryBy::learning : MemoryBy::zeta;
}

void MemoryPlacement::find_memories() {
    state_->memories = state_->tree.memories();
    if (!bindable_) return;
    std::erase_if(state_->memories,
                  [this](int m) { return !std::binary_search(bindable_->begin(), bindable_->end(), m); });
}

void MemoryPlacement::set_sees_memory(bool sees) {
    if (sees == sees_memory_) return;
    sees_memory_ = sees;
    for (auto& [id, thread] : state_->threads) enter(thread);
}

void MemoryPlacement::set_memories(std::vector<int> bindable) {
    bindable_ = std::move(bindable);
    const std::vector<int> before = state_->memories;
    find_memories();
    if (state_->memories == before) return;
    for (auto& [id, thread] : state_->threads) enter(thread);
}

bool MemoryPlacement::see(ThreadState& thread, const Sample& sample, const SpeedSummary& crowd) {
    if (thread.memory.settling > 0) {
        --thread.memory.settling;
        return false;
    }
    if (by() != MemoryBy::learning) return true;
    const Settings& settings = state_->settings;
    thread.memory.learner.see(utility(settings.numa_memory.criterion, settings.gamma, efficiency(sample), crowd));
    return true;
}

void MemoryPlacement::enter(ThreadState& thread) {
    ThreadMemory& memory = thread.memory;
    if (memory.to_bind != kUnbind) memory.to_bind = kNoMemory;
    if (memory.bound != kNoMemory && state_->memory_index(memory.bound) == kNowhere) {
        memory.bound = kNoMemory;
        memory.to_bind = kUnbind;
        memory.why = Why::machine;
    }
    if (state_->memories.empty()) return;
    const std::size_t near = state_->memory_near(thread);
    std::size_t where = state_->memory_index(memory.bound);
    if (where == kNowhere) where = state_->memory_index(memory.seen);
    if (where == kNowhere) where = near;
    memory.learner.enter(state_->memories.size(), where == kNowhere ? 0 : where, near);
    memory.learner.stagger();
}

void MemoryPlacement::decide(bool learns, Changes& changes) {
    if (by() == MemoryBy::zeta) follow_zeta(changes);
    if (by() != MemoryBy::learning || !learns) return;
    for (auto& [id, thread] : state_->threads) learn(thread, changes, id);
}

void MemoryPlacement::learn(ThreadState& thread, Changes& changes, ThreadId id) {
    ThreadMemory& memory = thread.memory;
    if (!memory.learner.due()) return;
    const std::uint64_t now = state_->now;
    const std::uint64_t keep = state_->settings.memory + memory.limit.wait();
    const Move next =
        memory.learner.decide(memory.limit.may_move(now), keep, state_->exploration.factor(), now, state_->random);
    if (next.dropped) state_->exploration.dropped(now);
    // Also what is kept is bound, once: new pages shall go there too, and the kernel's balancing not take them away.
    move(thread, state_->memories[memory.learner.where()], next.why);
    if (memory.to_bind != kNoMemory) changes.try_emplace(id, Why::memory);
}

void MemoryPlacement::follow_zeta(Changes& changes) {
    const Settings& settings = state_->settings;
    std::map<int, std::size_t> here;
    for (const auto& [id, thread] : state_->threads) ++here[state_->tree.at(thread.home).memory_node];
    for (auto& [id, thread] : state_->threads) {
        ThreadMemory& memory = thread.memory;
        if ((state_->now + memory.late) % settings.numa_memory.period != 0 || !memory.limit.may_move(state_->now))
            continue;
        const std::size_t near = state_->memory_near(thread);
        if (near == kNowhere) continue;
        const int node = state_->memories[near];
        const int chosen =
            memory_to_bind(node, here[node], state_->threads.size(), settings.zeta, state_->memories.size());
        if (chosen == kNoMemory) continue;
        move(thread, chosen, Why::memory);
        if (memory.to_bind != kNoMemory) changes.try_emplace(id, Why::memory);
    }
}

void MemoryPlacement::move(ThreadState& thread, int to, Why why) {
    ThreadMemory& memory = thread.memory;
    if (to == memory.bound) return;
    const int from = memory.bound != kNoMemory ? memory.bound : memory.seen;
    memory.to_bind = to;
    memory.why = why == Why::kept ? Why::memory : why;
    if (from == to) return;
    memory.limit.moved(state_->now, from, to);
    memory.settling = kSettling;
    ++memory.moves;
}

void MemoryPlacement::restore(ThreadState& thread, bool released, int best, Why why) {
    ThreadMemory& memory = thread.memory;
    memory.learner.forget();
    memory.learner.stagger();
    if (released) {  // also where nothing is left to choose from since it was bound
        if (memory.bound == kNoMemory) return;
        memory.seen = memory.bound;
        memory.to_bind = kUnbind;
        memory.why = why;
        return;
    }
    if (by() == MemoryBy::nobody) return;
    const std::size_t index = state_->memory_index(best);
    if (index == kNowhere) return;
    memory.learner.put(index);
    move(thread, best, why);
}

}  // namespace gimbal::pin
