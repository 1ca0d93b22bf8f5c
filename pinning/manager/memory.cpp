// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the manager has to do with threads' memory: where it is, who decides where it should be, binding it.
#include <cerrno>
#include <cstring>

#include "act/memory.hpp"
#include "act/thread_memory.hpp"
#include "manager/manager.hpp"

namespace gimbal::pin {

void Manager::begin_memory() {
    if (!config_.settings.bind_memory) return;
    // A kernel without NUMA names none; then nothing is there to be refused either.
    if (const std::vector<int> may = allowed_memories(); !may.empty()) placer_->set_memories(may);
    if (placer_->memory_by() == MemoryBy::nobody)
        figures_.notes.emplace_back("NUMA_MEMORY: the machine has only one memory node");
    else if (automatic_balancing() > 0)
        figures_.notes.emplace_back(
            "NUMA_MEMORY: the kernel balances memory, too (numa_balancing), except pages that are bound");
    see_memory();
}

void Manager::see_memory() {
    if (!placer_ || !config_.settings.bind_memory) return;
    const bool sees = sees_memory(meter_.choice().backend);
    placer_->set_sees_memory(sees);
    if (sees || !config_.settings.learn_memory || placer_->memory_by() == MemoryBy::nobody) return;
    say("NUMA_MEMORY is not learnt: " + std::string(backend_name(meter_.choice().backend)) +
        " does not see slow memory; it follows the threads by ZETA");
}

int Manager::memory_now(Worker& worker) {
    if (!placer_ || placer_->memory_by() != MemoryBy::learning) return kNoMemory;
    const std::uint64_t period = config_.settings.numa_memory.period;
    if (worker.figures.memory < 0 || (periods_ + worker.record->id) % period == 0) {
        const std::lock_guard lock(registry_.mutex());
        if (worker.record->alive) worker.figures.memory = mostly_on(worker.record->memory);
    }
    return worker.figures.memory < 0 ? kNoMemory : worker.figures.memory;
}

void Manager::bind_memory(Worker& worker, const Decision& decision) {
    const int node = decision.bind_memory;
    ThreadRecord& record = *worker.record;
    int error = 0, now = -1;
    {
        const std::lock_guard lock(registry_.mutex());
        if (!record.alive || record.left) return;
        // Nobody can set another thread's policy: it does so itself when it next reports progress.
        record.wants_memory.store(node, std::memory_order_relaxed);
        record.bound = node >= 0;
        error = bind_ranges(record.memory, node);
        if (node >= 0 && error == 0) now = mostly_on(record.memory);
    }
    if (error == EPERM || error == ENOSYS) {
        // A container may forbid it; then it does so every time.
        placer_->set_memories({});
        say(std::string("NUMA_MEMORY: memory cannot be bound here: ") + std::strerror(error));
        return;
    }
    if (node >= 0) {
        const int where = now < 0 ? node : now;
        if (where != worker.figures.memory) ++worker.figures.memory_moves;
        worker.figures.memory = where;
        if (where != node) say("NUMA_MEMORY: the kernel did not move the pages and gave no reason");
    }
    Decision words;
    words.bind_memory = node;
    words.why = decision.memory_why;
    trace(node < 0 ? "unbind" : "memory", &worker, &words);
}

void Manager::give_memory_back(ThreadRecord& record) noexcept {
    if (!record.bound) return;
    record.bound = false;
    record.wants_memory.store(kUnbind, std::memory_order_relaxed);
    (void)bind_ranges(record.memory, kUnbind);
}

}  // namespace gimbal::pin
