// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/work_queues.hpp"
#include "simulate/event_loop.hpp"
#include "simulate/finish_order.hpp"
#include "technique/adaptive.hpp"

namespace gimbal::simulate {

/// What one virtual worker remembers of the execution.
struct VirtualWorker {
    double stamp = 0;  // when the chunk in progress began to be timed [ticks]
    std::uint64_t chunks = 0;
    std::uint64_t iterations = 0;
    Range last;                   // the chunk in progress, for notes; empty: none
    std::uint64_t last_size = 0;  // adaptive: its iterations; 0: none yet
    std::uint64_t untimed_size = 0, untimed_chunks = 0, least_timed = 0;  // adaptive, as WorkerSlot has them
    std::uint64_t batch = 0;                                              // weighted and adaptive: the one reached
    std::uint64_t random = 1;                                             // where requests are thinned out
    Digest digest;                                                        // adaptive
    Range held;                                                           // queues: the end of the loop, held back
    bool prefix_to_come = false;                                          // queues
    bool over = false;                                                    // queues: nothing more to be had
    double stole_at = -1;                                                 // [ticks]; < 0: it did not
    double waits_until = -1;                                              // for what is given back [ticks]; < 0: no
    bool tail_is_over = false;                                            // hybrid with queues
    double static_end = -1;                                               // [ticks]; < 0: not noted
    std::uint64_t static_iterations = 0;
    double interruption_at = 0;  // the next one [ticks]
    std::uint64_t interruptions = 0;
};

/// One execution in progress, and storage that outlives it.
struct EventLoop::State {
    const Technique* technique = nullptr;
    const Plan* plan = nullptr;
    const Work* work = nullptr;
    const Machine* machine = nullptr;
    const ExecutionConfig* config = nullptr;
    std::span<WorkerSlot> slots;
    bool noted = false;         // every chunk, in the slots
    double until = kNoLimit;    // nobody draws from then on [ticks]
    double drawing = 0;         // of one draw from what is shared, with its timestamp if there is one [ticks]
    double counter_free = 0;    // when the counter can be had again [ticks]
    std::uint64_t counter = 0;  // next step, or next iteration
    std::vector<VirtualWorker> workers;
    std::vector<double> finish;  // [P] when each is free; at last: when it was done [ticks]
    FinishOrder order;
    std::vector<WorkerTimes> times;  // [P] adaptive
    WorkQueues queues;
    std::vector<double> queue_free;  // [queues] when each can be had again [ticks]

    void prepare();
    void run_owned();
    void run_shared();
    void run_weighted();
    void run_adaptive();
    void run_queues();
    void run_insured();
    void run_until_asked();
    [[nodiscard]] bool insured() const noexcept {
        return plan->claim == Claim::hybrid && !plan->queues.empty() && !config->ascending;
    }
    Outcome close();

    double execute(std::uint32_t worker, double from, Range chunk, std::uint64_t chunks = 1) noexcept;
    [[nodiscard]] double interrupted(std::uint32_t worker, double from, double end) noexcept;
    void note(std::uint32_t worker, double now, Range chunk) noexcept;
    void run_own_steps(std::uint32_t worker, std::uint64_t first, std::uint64_t end, std::uint64_t stride) noexcept;
    [[nodiscard]] double admitted(std::uint32_t worker, double now) noexcept;
    [[nodiscard]] double drawn(double now) noexcept;
    [[nodiscard]] Range next_grains(std::uint32_t worker, bool& own) noexcept;
    [[nodiscard]] Range next_queued(std::uint32_t worker, bool& own) noexcept;
    [[nodiscard]] double next_insured(std::uint32_t worker, double now, Range& chunk) noexcept;
    [[nodiscard]] Range iterations_of(Range grains) const noexcept;
    [[nodiscard]] Range take(std::uint64_t size) noexcept;
    void time_chunk(std::uint32_t worker, double now, const AdaptiveTechnique& adaptive) noexcept;
    void prepare_times(const AdaptiveTechnique& adaptive);

    /// Let the worker that is free first draw, until all have left. @param draw  (worker, now) -> when it is free
    /// again, < 0: it leaves; finish[worker] says when
    template <class Draw>
    void take_turns(Draw draw) {
        order.start(finish);
        for (double now = order.time(); now < FinishOrder::kNever; now = order.time()) {
            if (now >= until) {
                finish[order.worker()] = now;
                order.replace(FinishOrder::kNever);
                continue;
            }
            const double next = draw(order.worker(), now);
            order.replace(next >= 0 ? next : FinishOrder::kNever);
        }
    }
};

}  // namespace gimbal::simulate
