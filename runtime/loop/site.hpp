// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/loop.h"
#include "loop/execution.hpp"
#include "loop/learning.hpp"
#include "measure/clock.hpp"
#include "measure/timed_part.hpp"
#include "report/run_record.hpp"

namespace gimbal {

/// Where a loop lies in the program.
struct SiteIdentity {
    std::string name;          ///< "file:line function" if the compiler said so; else empty
    std::string module;        ///< path of the object that holds the code; empty if unknown
    std::uint64_t offset = 0;  ///< of the code in that object [bytes]
    bool over_ranks = false;   ///< its workers are processes

    /// What names this loop from run to run: the name, or module and offset.
    [[nodiscard]] std::string key() const;
};

/// One source loop at one team size: the place where everything learnt about it is kept (design 3.2).
/// @threads open() and close() may run concurrently for several executions of the same loop
class LoopSite {
public:
    LoopSite(SiteIdentity identity, std::uint32_t workers, const LoopClock& clock = {});

    /// Begin an execution: choose, plan, hand out.
    /// @return goes back to close() or drop(); nullptr, only if the request allows it: the loop is left to the caller
    /// @errors none; out of memory ends the program, as in the OpenMP runtime itself
    [[nodiscard]] Execution* open(const Request& request) noexcept;

    /// Whether an execution of so many iterations is left to the caller, under that schedule.
    /// @return where it is counted; nullptr: it is not  @threads any, without the lock
    [[nodiscard]] gimbal_left_loop* left(std::uint64_t trip, int schedule) noexcept {
        if (!(left_lengths_.load(std::memory_order_relaxed) & bit_of_length(trip)) ||
            left_schedule_.load(std::memory_order_relaxed) != schedule)
            return nullptr;
        if (ticks() < left_until_.load(std::memory_order_relaxed)) return &left_;
        left_lengths_.store(0, std::memory_order_relaxed);
        return nullptr;
    }

    /// All workers have left: learn from the execution and keep it for the next one.
    void close(Execution* execution) noexcept;

    /// The execution will never be complete: forget it without learning.
    void drop(Execution* execution) noexcept;

    [[nodiscard]] std::uint32_t workers() const noexcept { return workers_; }
    [[nodiscard]] const SiteIdentity& identity() const noexcept { return identity_; }

    /// The schedule that GIMBAL_LOOPS names for this loop, by its number (intern()); 0: none. Whoever opens executions
    /// goes by it.
    /// @threads set before the site is known to other threads
    void set_rule(int schedule) noexcept { rule_ = schedule; }
    [[nodiscard]] int rule() const noexcept { return rule_; }

    /// What an iteration took when somebody first asked.
    /// @param seen  what it takes now, > 0 [ticks]; kept if nobody has asked before
    /// @threads any
    double first_pace(double seen) noexcept {
        double pace = first_pace_.load(std::memory_order_relaxed);
        if (pace > 0) return pace;
        return first_pace_.compare_exchange_strong(pace, seen, std::memory_order_relaxed) ? seen : pace;
    }

    /// What the program knows of this loop.
    void set_given(const Given& given);

    /// The static fraction from the next execution on, whatever the technique says; < 0: the technique's again.
    void set_static_fraction(double fraction);
    /// The static fraction that was set, else that of the last execution; < 0: its technique had none.
    [[nodiscard]] double static_fraction() const;

    /// What the report says about this loop so far. Where the process ends and the lock cannot be had, it is brief.
    [[nodiscard]] LoopSummary summary(double seconds_per_tick, double dispatch_s) const;
    /// The sums alone, without the lock: nobody waits for who asks. Single threads, what it cost to open and close
    /// executions, static fraction and alternative are not in it.
    [[nodiscard]] LoopSummary brief_summary(double seconds_per_tick, double dispatch_s) const;
    /// Executions so far, those that were left to the caller among them [count]. @threads any, without a lock
    [[nodiscard]] std::uint64_t calls() const noexcept {
        return learning_.totals().calls + __atomic_load_n(&left_.calls, __ATOMIC_RELAXED);
    }
    /// Mean and deviation of iteration times [ticks], for GIMBAL_LOOP_STATS.
    [[nodiscard]] IterationStatistics statistics() const;
    void set_statistics(const IterationStatistics& statistics);
    /// New lock after fork(). @threads the only one of a new child
    void restart_lock() noexcept;

private:
    static std::uint64_t bit_of_length(std::uint64_t trip) noexcept {
        return std::uint64_t{1} << (static_cast<unsigned>(std::bit_width(trip)) & 63U);
    }
    void leave(const Request& request, double time);
    void forget(const Execution& execution);

    SiteIdentity identity_;
    std::uint32_t workers_;
    int rule_ = 0;
    std::atomic<double> first_pace_ = 0;  // [ticks]; 0: nobody has asked. A figure by itself, so relaxed will do

    // The loop is left to the caller: for trip counts of so many bits, a bit of the word each, under that schedule,
    // until then. Read without the lock by every execution; each figure counts by itself.
    alignas(kApart) std::atomic<std::uint64_t> left_lengths_ = 0;
    std::atomic<std::uint64_t> left_until_ = 0;  // [ticks]
    std::atomic<int> left_schedule_ = 0;
    gimbal_left_loop left_ = {};

    // Held at open and close, never while chunks are drawn. It guards what follows, the most used first: what one
    // execution writes fits into two or three cache lines.
    alignas(kApart) mutable std::mutex mutex_;
    std::unique_ptr<Execution> spare_;        // one finished execution, ready for the next open()
    std::vector<const Execution*> existing_;  // all executions, in flight or spare: workers keep their sums in them
    LoopLearning learning_;
    TimedPart opening_, closing_;     // what the site itself takes
    std::vector<WorkerRecord> gone_;  // sums of executions that are gone
};

}  // namespace gimbal
