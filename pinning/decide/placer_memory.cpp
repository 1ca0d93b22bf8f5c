// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where threads' memory is: learnt, or by the rule over zeta, or nobody's business.
#include <algorithm>

#include "decide/memory_rule.hpp"
#include "decide/placer.hpp"

namespace gimbal::pin {

namespace {

/// Samples that a move of pages spoils: they were copied then, and caches were cold.
constexpr std::size_t kSettling = 2;

/// Of a processor, below which speed per processor time is noise.
constexpr double kLeastShare = 0.05;

}  // namespace

double efficiency(const Sample& sample) noexcept {
    if (sample.cpu_share < 0) return sample.speed;
    return sample.cpu_share < kLeastShare ? 0 : sample.speed / sample.cpu_share;
}

MemoryBy Placer::memory_by() const noexcept {
    if (!settings_.bind_memory || memories_.size() < 2) return MemoryBy::nobody;
    return settings_.learn_memory && sees_memory_ ? MemoryBy::learning : MemoryBy::zeta;
}

void Placer::find_memories() {
    memories_ = tree_.memories();
    if (!restricted_) return;
    std::erase_if(memories_, [this](int m) { return !std::binary_search(bindable_.begin(), bindable_.end(), m); });
}

void Placer::set_sees_memory(bool sees) {
    if (sees == sees_memory_) return;
    sees_memory_ = sees;
    for (auto& [id, thread] : threads_) enter_memory(thread);
}

void Placer::set_memories(std::vector<int> bindable) {
    bindable_ = std::move(bindable);
    restricted_ = true;
    const std::vector<int> before = memories_;
    find_memories();
    if (memories_ == before) return;
    for (auto& [id, thread] : threads_) enter_memory(thread);
}

std::size_t Placer::memory_index(int memory) const noexcept {
    const auto found = std::find(memories_.begin(), memories_.end(), memory);
    return found == memories_.end() ? kNowhere : static_cast<std::size_t>(found - memories_.begin());
}

std::size_t Placer::memory_near(const ThreadState& thread) const noexcept {
    return memory_index(tree_.at(thread.home).memory_node);
}

void Placer::see_memory(ThreadState& thread, const Sample& sample, const Crowd& crowd) {
    if (memory_by() != MemoryBy::learning) return;
    const double u = utility(settings_.numa_memory.criterion, settings_.gamma, efficiency(sample), crowd);
    thread.memory.learner.see(u);
}

/// Begins anew: its pages are where they were bound to, else where they were seen, else near.
void Placer::enter_memory(ThreadState& thread) {
    ThreadMemory& memory = thread.memory;
    memory.to_bind = kNoMemory;
    if (memory_index(memory.bound) == kNowhere) memory.bound = kNoMemory;
    if (memories_.empty()) return;
    const std::size_t near = memory_near(thread);
    std::size_t where = memory_index(memory.bound);
    if (where == kNowhere) where = memory_index(memory.seen);
    if (where == kNowhere) where = near;
    memory.learner.enter(memories_.size(), where == kNowhere ? 0 : where, near);
    memory.learner.stagger();
}

void Placer::decide_memory(Changes& changes) {
    if (system_places()) return;
    if (memory_by() == MemoryBy::zeta) follow_zeta(changes);
    if (memory_by() != MemoryBy::learning || guard_.phase() != Phase::learn) return;
    for (auto& [id, thread] : threads_) learn_memory(thread, changes, id);
}

void Placer::learn_memory(ThreadState& thread, Changes& changes, ThreadId id) {
    ThreadMemory& memory = thread.memory;
    if (!memory.learner.due()) return;
    const std::uint64_t keep = settings_.memory + memory.limit.wait();
    const Move move = memory.learner.decide(memory.limit.may_move(now_), keep, anneal_.factor(), now_, random_);
    if (move.dropped) {
        anneal_.restart();
        last_drop_ = now_;
    }
    // Also what is kept is bound, once: new pages shall go there too, and the kernel's balancing not take them away.
    move_memory(thread, memories_[memory.learner.where()], move.why);
    if (memory.to_bind != kNoMemory) changes.try_emplace(id, Why::memory);
}

void Placer::follow_zeta(Changes& changes) {
    std::map<int, std::size_t> here;
    for (const auto& [id, thread] : threads_) ++here[tree_.at(thread.home).memory_node];
    for (auto& [id, thread] : threads_) {
        ThreadMemory& memory = thread.memory;
        if ((now_ + memory.turn) % settings_.numa_memory.period != 0 || !memory.limit.may_move(now_)) continue;
        const std::size_t near = memory_near(thread);
        if (near == kNowhere) continue;
        const int node = memories_[near];
        const int chosen = memory_to_bind(node, here[node], threads_.size(), settings_.zeta, memories_.size());
        if (chosen == kNoMemory) continue;
        move_memory(thread, chosen, Why::memory);
        if (memory.to_bind != kNoMemory) changes.try_emplace(id, Why::memory);
    }
}

void Placer::move_memory(ThreadState& thread, int to, Why why) {
    ThreadMemory& memory = thread.memory;
    if (to == memory.bound) return;
    const int from = memory.bound != kNoMemory ? memory.bound : memory.seen;
    memory.to_bind = to;
    memory.why = why == Why::kept ? Why::memory : why;
    if (from == to) return;
    memory.limit.moved(now_, from, to);
    memory.settling = kSettling;
    ++memory.moves;
}

/// The guard turns. The operating system's placement is measured, and let go to, with memory that nobody has bound;
/// pages stay where they are until they are moved. The best-known placement comes with the memory that it had.
void Placer::turn_memory(ThreadState& thread, const Best* best) {
    ThreadMemory& memory = thread.memory;
    memory.learner.forget();
    memory.learner.stagger();
    if (memory_by() == MemoryBy::nobody) return;
    if (system_places()) {
        if (memory.bound == kNoMemory) return;
        memory.seen = memory.bound;
        memory.to_bind = kUnbind;
        memory.why = guard_.event().why;
        return;
    }
    const std::size_t index = best != nullptr ? memory_index(best->memory) : kNowhere;
    if (index == kNowhere) return;
    memory.learner.put(index);
    move_memory(thread, best->memory, guard_.event().why);
}

}  // namespace gimbal::pin
