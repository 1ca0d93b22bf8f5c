// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counters/hardware_event.hpp"
#include "counters/thread_counter.hpp"
#include "gimbal/loop_watch.h"
#include "manager/figures.hpp"

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gimbal::pin {

/// What a thread and the manager know of each other. Made by the thread itself, kept until both are done with it.
struct ThreadRecord {
    std::uint64_t id = 0;  ///< for decisions; never used again
    pid_t tid = 0;
    bool main = false;
    const void* routine = nullptr;  ///< where it began, as given to pthread_create(); nullptr: the main thread
    std::unique_ptr<gimbal_loop_watch, decltype(&gimbal_loop_watch_free)> loops{nullptr, gimbal_loop_watch_free};
    PerfEvent instructions;           ///< for what loops measure of themselves; the thread's own, like the next
    bool instructions_asked = false;  ///< it has been opened, or cannot be
    ThreadCounter inside;  ///< Backend::papi_inside, if that is asked for; opened before the manager knows the thread

    std::atomic<std::uint64_t> progress = 0;  ///< gimbal_pin_progress()
    std::atomic<bool> counts = false;         ///< it was called
    std::atomic<int> wants_memory = -1;       ///< node to take new pages from, for follow_node(); -1: no change

    /// It has put its own mask back for a moment, because it makes a child that inherits it (OwnMask): the manager
    /// neither judges its mask nor changes it. It begins under the registry's lock.
    std::atomic<int> aside = 0;
    /// It makes a thread, which inherits its mask: the manager does not change that until it has.
    std::atomic<int> making = 0;

    // Written under the registry's lock; who must rely on them for longer than a moment holds it.
    std::atomic<bool> alive = true;
    std::atomic<bool> asked = false;  ///< gimbal_pin_register(): no waiting, and no judging by name
    std::atomic<bool> left = false;   ///< gimbal_pin_unregister()

    // Under the registry's lock:
    std::string name;                              ///< empty: the operating system's
    const volatile std::uint32_t* seen = nullptr;  ///< where it runs now, kept by the kernel; only while alive
    std::vector<int> own_mask;                     ///< what it had before it was placed; empty: it is not placed
    bool own_is_all = false;                       ///< own_mask is all that the control group grants
    std::vector<int> given_mask;                   ///< what it was given; empty: it is not placed
    std::vector<std::pair<const void*, std::size_t>> memory;  ///< ranges that may follow it; its stack comes first
    bool bound = false;                                       ///< they are bound to a node
};

using RecordPointer = std::shared_ptr<ThreadRecord>;

/// A thread that computes, as the manager sees it.
struct Worker {
    RecordPointer record;
    ThreadCounter counter;
    Reading last;
    Speed speed;
    int seen = -1;
    bool placed = false;            ///< the decision core knows it
    bool missed = false;            ///< a decision came while its mask had to stay
    double begun_s = 0;             ///< when it became a worker
    double within_s = 0;            ///< in Gimbal's loops until then
    std::int64_t begun_cpu_ns = 0;  ///< on a processor until then
    ThreadFigures figures;
};

/// By ThreadRecord::id.
using Workers = std::map<std::uint64_t, Worker>;

/// Time that a thread has spent in Gimbal's loops [s].
[[nodiscard]] double within_loops(const ThreadRecord& record) noexcept;

}  // namespace gimbal::pin
