// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>

#include "counters/thread_counter.hpp"
#include "manager/figures.hpp"
#include "manager/registry.hpp"

namespace gimbal::pin {

/// A thread that computes, as the manager sees it.
struct Worker {
    RecordPointer record;
    ThreadCounter counter;
    Reading last;
    Speed speed;
    int seen = -1;
    bool placed = false;            ///< the decision core knows it
    bool missed = false;            ///< a decision came while it had put its own mask back
    unsigned times_aside = 0;       ///< as last seen
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
