// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "engine/execution.hpp"
#include "engine/rank_chunk.hpp"
#include "gimbal/loop.h"
#include "loop/close_loops.hpp"
#include "loop/known_loops.hpp"
#include "loop/learning.hpp"
#include "loop/left_loop.hpp"
#include "measure/timed_part.hpp"
#include "report/run_record.hpp"

namespace gimbal {

/// Where a loop lies in the program.
struct SiteIdentity {
    std::string name;          ///< "file:line function" if the compiler said so; else empty
    std::string module;        ///< path of the object that holds the code; empty if unknown
    std::uint64_t offset = 0;  ///< address of the code, as it stands in that object's file [bytes]
    bool over_ranks = false;   ///< its workers are processes
    std::uint64_t build = 0;   ///< of that object (kept/build.hpp); 0: unknown
    /// Where the function with the loop begins in that object, with a name only [bytes]; 0: unknown. Instances of a
    /// template have one name.
    std::uint64_t function = 0;
    bool namesake = false;  ///< of a loop in another function, which the process knew before

    /// What names this loop from run to run: the name, with the function where it is a namesake; or module and offset.
    [[nodiscard]] std::string key() const;
    /// The same for a later run that may find the object elsewhere, but not for another build of it; 0: nothing does.
    [[nodiscard]] std::uint64_t id_in_any_run() const;
};

/// One source loop at one team size: the place where everything learnt about it is kept (design 3.2).
/// @threads open() and close() may run concurrently for several executions of the same loop
class LoopSite {
public:
    LoopSite(SiteIdentity identity, std::uint32_t workers, const LoopClock& clock = {});
    ~LoopSite();

    /// Begin an execution: choose, plan, hand out.
    /// @return goes back to close() or drop(); nullptr, only if the request allows it or there is no memory: the loop
    /// is
    ///         left to the caller
    [[nodiscard]] Execution* open(const Request& request) noexcept;

    /// All workers have left: keep the execution for the next one. Mostly the next one to open the loop learns from it,
    /// or, if that one asks for another N, the first to leave what it opened; a steady loop is learnt from after some
    /// executions only.
    void close(Execution* execution) noexcept;

    /// The execution will never be complete: forget it without learning.
    void drop(Execution* execution) noexcept;

    [[nodiscard]] std::uint32_t workers() const noexcept { return workers_; }
    [[nodiscard]] const SiteIdentity& identity() const noexcept { return identity_; }

    /// The schedule that GIMBAL_LOOPS names for this loop, by its number (intern()); 0: none. A host that opens
    /// executions goes by it.
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
    void set_hints(const UserHints& hints);

    /// The static fraction from the next execution on, whatever the technique says; < 0: the technique's again.
    void set_static_fraction(double fraction);
    /// The static fraction that was set, else that of the last execution; < 0: its technique had none.
    [[nodiscard]] double static_fraction();

    /// What was learnt here, for a later run. Where the process ends and the lock cannot be had, it is nothing.
    /// @return empty: nothing  @errors std::bad_alloc
    [[nodiscard]] std::string to_keep();
    /// What names it there. @threads any, after an execution
    [[nodiscard]] std::uint64_t kept_id() const noexcept { return kept_id_; }
    /// Sum of loop times so far [ticks]. @threads any, without a lock
    [[nodiscard]] double time() const noexcept { return learning_.totals().loop_time; }

    /// How it runs now, for a trace. @param label  a text's number, not 0 @return how it ran before; 0: it did not
    /// @threads any
    std::uint32_t exchange_traced(std::uint32_t label) noexcept {
        return traced_.exchange(label, std::memory_order_relaxed);
    }

    /// Of a loop over ranks: what the threads of this rank show that run its chunks.
    [[nodiscard]] TeamsInChunks& teams() noexcept { return teams_; }
    /// This rank has left an execution of a loop over ranks, and has run so much of it.
    void rank_left(const gimbal_rank_work& ran) noexcept;

    /// What the report says about this loop so far. Where the process ends and the lock cannot be had, it is brief.
    [[nodiscard]] LoopSummary summary(double seconds_per_tick, double dispatch_s);
    /// The sums alone, without the lock: nobody waits for who asks. Single threads, what it cost to open and close
    /// executions, static fraction and alternative are not in it, nor the last executions, from which nobody has learnt
    /// yet: one, or a few of a steady loop.
    [[nodiscard]] LoopSummary brief_summary(double seconds_per_tick, double dispatch_s) const;
    /// Since when threads have been in an execution in flight, the longest of several [ticks]; 0: in none, or somebody
    /// holds the lock: then one begins or ends just now. @threads any
    [[nodiscard]] std::uint64_t occupied_since() noexcept;
    /// Learn from executions that wait for it, unless one is in flight or somebody holds the lock.
    /// @threads any  @cost a load if there are none
    void catch_up() noexcept;
    /// Learn from the execution before the one that is in flight, if nobody has; not if somebody holds the lock.
    /// @threads any, most cheaply one that has left early and waits for the others  @cost a load if there is none
    void learn_late() noexcept;
    /// Executions so far, those that were left to the caller among them [count]. @threads any, without a lock
    [[nodiscard]] std::uint64_t calls() const noexcept { return learning_.totals().calls + left_.calls(); }
    /// Mean and deviation of iteration times [ticks], for GIMBAL_LOOP_STATS.
    [[nodiscard]] IterationStatistics statistics();
    void set_statistics(const IterationStatistics& statistics);
    /// New lock after fork(). @threads the only one of a new child
    void restart_lock() noexcept { new (&mutex_) std::mutex; }

private:
    /// Do it unless there is no memory for it: then the loop is its caller's from now on.
    template <class Work>
    void with_memory(Work work) noexcept;
    [[nodiscard]] Execution* open_anew(const Request& request, Execution* ready, bool crowded);
    [[nodiscard]] bool leave_unseen(const Request& request) noexcept;
    [[nodiscard]] bool settle(Execution* ready, const Request& request);
    void make_spare();
    void forget(const Execution& execution) noexcept;
    void learn_of_levels(const Execution& finished, const LoopRecord& record);
    void ask_earlier_run();
    void learn_from_earlier(Execution& finished);
    void let_stand(Execution& execution, const Request& request) noexcept;
    [[nodiscard]] Execution* take_standing(const Request& request) noexcept;
    [[nodiscard]] bool keep_standing(const Execution& execution) noexcept;
    void let_stand_no_more(const Execution& execution) noexcept;
    void keep(std::unique_ptr<Execution> execution) noexcept;
    void put_away(std::unique_ptr<Execution> ready, bool others_wait = true) noexcept;
    [[nodiscard]] bool learns_late(const Execution& ready, const Request& request) const noexcept;
    void learn_from_late(bool others_wait) noexcept;
    void take_back_ready() noexcept;
    void settings_change() noexcept;
    [[nodiscard]] std::uint32_t repeats_of(const Opening& opening, const Request& request) const noexcept;
    void note_way(const Execution& finished) noexcept;
    [[nodiscard]] bool learns_at_once(const Execution& finished) const noexcept;
    void learn_now(std::unique_ptr<Execution> finished);
    void learn_from(std::unique_ptr<Execution> finished, StepRow* step, bool others_wait) noexcept;
    void learn(Execution& finished, StepRow* step);

    SiteIdentity identity_;
    std::uint32_t workers_;
    std::atomic<std::uint32_t> traced_{0};
    std::atomic<double> first_pace_ = 0;  // [ticks]; 0: nobody has asked. A figure by itself, so relaxed will do

    // An execution that all workers have left: of a steady loop, for the next one to ask for the same; else for the
    // next one to learn from. It is handed over without the lock. Beside it what else whoever opens looks at first.
    alignas(kApart) std::atomic<Execution*> ready_ = nullptr;
    // Or an execution that its team enters without a word, again and again (gimbal/known_loops.h). Set with the lock
    // held; taken back by the last worker to leave it. With the lock held one may learn from it so far as it was left.
    std::atomic<Execution*> standing_ = nullptr;
    int rule_ = 0;
    LeftLoop left_;
    // The execution before the one in flight, if nobody has learnt from it yet. Put and taken with the lock held.
    std::atomic<Execution*> late_ = nullptr;

    // Held at open and close, never while chunks are drawn. It guards what follows, the most used first: what one
    // execution writes fits into two or three cache lines.
    alignas(kApart) mutable std::mutex mutex_;
    // Finished executions, for those that open the next ones: several where several teams run the loop at a time.
    std::vector<std::unique_ptr<Execution>> spare_;
    std::vector<Execution*> existing_;  // all executions, in flight or spare: workers keep their sums in them
    LoopLearning learning_;
    double batch_ = 1;                    // executions that were opened and learnt from at once, running mean [count]
    std::atomic<bool> is_short_ = false;  // as it was seen in its first execution, which was left to the caller
    bool asked_earlier_run_ = false;
    bool left_unseen_ = false;
    bool may_stand_ = true;        // the program does not change the loop's settings
    bool without_memory_ = false;  // there was none: nothing is learnt any more, and nothing opened
    std::uint64_t kept_id_ = 0;    // of the loop in any run; 0: nothing is kept
    RankTie rank_tie_;
    TeamsInChunks teams_;                // of a loop over ranks
    TimedPart opening_, closing_;        // what the site itself takes
    TimedPart leaving_;                  // how long after the last worker is done the last one has left
    std::vector<WorkerRecord> gone_;     // sums of executions that are gone
    std::vector<WorkerRecord> earlier_;  // [P] of the execution that is being learnt from, if others followed it
};

}  // namespace gimbal
