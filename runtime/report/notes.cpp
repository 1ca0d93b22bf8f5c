// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/notes.hpp"

#include <algorithm>
#include <cmath>

#include "report/choice_text.hpp"
#include "report/choices.hpp"
#include "report/table.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMost = 3;          // notes per report
constexpr double kWorthSaying = 0.01;     // smallest loss that gets a note, as a part of the run
constexpr double kFewPerThread = 2;       // with fewer iterations per thread and call no technique can balance
constexpr double kOverheadOfSaved = 0.1;  // part of the loss that drawing chunks may cost after the change

/// One loop's losses, mean over ranks. Two of them, because their cures are opposite.
struct Loss {
    const MergedLoop* loop;
    double balance_s;     ///< perfect balance would save [s]
    double scheduling_s;  ///< drawing chunks costs [s]
    [[nodiscard]] double larger() const { return std::max(balance_s, scheduling_s); }
};

/// The schedule that ran most often.
const ScheduleUse* main_schedule(const LoopSummary& loop) {
    const auto most = std::max_element(loop.schedules.begin(), loop.schedules.end(),
                                       [](const auto& a, const auto& b) { return a.calls < b.calls; });
    return most == loop.schedules.end() ? nullptr : &*most;
}

/// The technique without modifier and chunk.
std::string technique_of(const ScheduleUse* use) {
    if (!use) return {};
    const std::string name = use->schedule.substr(0, use->schedule.find(','));
    const std::size_t colon = name.find(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
}

/// What to write instead, in the variable that decided.
std::string try_schedule(const LoopSummary& loop, const ScheduleUse* use, const std::string& schedule) {
    if (loop.over_ranks && !(use && use->reason == "GIMBAL_LOOPS")) return "Try GIMBAL_MPI_SCHEDULE=" + schedule + ".";
    if (use && use->reason == "GIMBAL_LOOPS") return "Try " + schedule + " in its rule of GIMBAL_LOOPS.";
    return std::string("Try ") + (use && use->reason == "OMP_SCHEDULE" ? "OMP_SCHEDULE" : "GIMBAL_SCHEDULE") + "=" +
           schedule + ".";
}

/// Self-scheduling with the smallest chunk whose dispatch stays under a tenth of what is to be saved.
std::string fine_schedule(const LoopSummary& loop, double saved_s, double dispatch_ns) {
    const double dispatches = static_cast<double>(loop.iterations) / std::max(1U, loop.workers);
    const double chunk = std::ceil(dispatches * dispatch_ns * 1e-9 / (kOverheadOfSaved * saved_s));
    if (!(chunk > 1)) return "ss";
    return chunk < 1e9 ? "ss," + fixed(chunk, 0) : "fac2";
}

/// What helps where a selector chooses: to name a technique is its business.
std::string selector_advice(const LoopSummary& loop, const std::string& selector) {
    if (2 * loop.exploring_calls > loop.calls)
        return "Most calls explored: a longer run settles, and GIMBAL_RECORD and GIMBAL_REPLAY keep what it learnt.";
    if (selector == "GIMBAL_REPLAY") return "The record says so: without GIMBAL_REPLAY Gimbal chooses anew.";
    const AlternativeUse& other = loop.alternative;
    if (!other.schedule.empty() && other.ratio < 1 - kWorthSaying)
        return selector +
               (other.predicted ? " now expects " + other.schedule + " to take "
                                : " has seen " + other.schedule + " take ") +
               per_cent(1 - other.ratio) + " less time.";
    if (loop.schedules.size() == 1) return selector + " has tried nothing else.";
    return "Of what " + selector + " knows, nothing is faster.";
}

/// What one worker's draw costs: between ranks by messages, if they are needed, and then more than between threads.
double draw_ns(const LoopSummary& loop, const MergedRun& run) {
    if (!loop.over_ranks || loop.chunks == 0 || !(loop.scheduling_s > 0)) return run.dispatch_ns;
    return loop.scheduling_s * loop.workers / static_cast<double>(loop.chunks) * 1e9;
}

std::string balance_advice(const Loss& loss, const MergedRun& run) {
    const LoopSummary& loop = loss.loop->sum;
    const ScheduleUse* const use = main_schedule(loop);
    const std::string technique = technique_of(use);
    const double per_call =
        static_cast<double>(loop.iterations) / static_cast<double>(std::max<std::uint64_t>(1, loop.calls));
    if (per_call < kFewPerThread * loop.workers)
        return "Only " + fixed(per_call, per_call < 10 ? 1 : 0) + (loop.steals ? " items" : " iterations") +
               " per call for " + workers_text(loop) + ": split them" +
               (loop.over_ranks ? "." : ", or collapse loops.");
    if (loop.steals) return "Smaller items, or GIMBAL_MPI_STEAL_RATIO=agent, may help.";
    if (technique == "ss" && loop.chunks >= loop.iterations)
        return "Chunks are single iterations already: split the longest ones, or run them first.";
    if (use && chosen_by_selector(use->reason)) return selector_advice(loop, use->reason);
    if (!loop.tuning.empty() && loop.tuning != "settled")
        return technique + " was still in search of its static fraction: a longer run settles.";
    // Factoring first: it balances almost everything at almost no cost. Only then the finest chunks that pay.
    const std::string next = technique.starts_with("fac") || technique == "ss" || technique == "mfsc"
                                 ? fine_schedule(loop, loss.balance_s * loss.loop->ranks, draw_ns(loop, run))
                                 : "fac2";
    if (use && next == use->schedule) return "Finer chunks would cost more than they save.";
    return try_schedule(loop, use, next);
}

std::string note(const Loss& loss, const MergedRun& run) {
    const LoopSummary& loop = loss.loop->sum;
    const double part = run.wall_s.mean > 0 ? loss.larger() / run.wall_s.mean : 0;
    const std::string amount = seconds(loss.larger()) + " s (" + per_cent(part) + " of the run). ";
    const std::string name = "NOTE " + shorten_name(loop.name, 44) + ": ";
    if (loss.balance_s >= loss.scheduling_s)
        return name + "perfect balance would save " + amount + balance_advice(loss, run);
    const ScheduleUse* const use = main_schedule(loop);
    if (use && chosen_by_selector(use->reason))
        return name + "drawing chunks costs " + amount + selector_advice(loop, use->reason);
    return name + "drawing chunks costs " + amount +
           try_schedule(loop, use, technique_of(use) == "fac2" ? "static" : "fac2");
}

}  // namespace

std::vector<std::string> notes(const MergedRun& run) {
    if (run.loops.empty()) return {};
    std::vector<Loss> losses;
    for (const MergedLoop& loop : run.loops) {
        if (!loop.knows_all_workers()) continue;
        // A loop over ranks is one for all of them.
        const double ranks = loop.sum.over_ranks ? 1 : std::max(1U, run.ranks_seen);
        losses.push_back(
            {&loop, std::max(0.0, loop.sum.busy_max_s - loop.sum.busy_mean_s) / ranks, loop.sum.scheduling_s / ranks});
    }
    std::stable_sort(losses.begin(), losses.end(),
                     [](const Loss& a, const Loss& b) { return a.larger() > b.larger(); });
    std::vector<std::string> lines;
    for (const Loss& loss : losses)
        if (lines.size() < kMost && loss.larger() > 0 && loss.larger() >= kWorthSaying * run.wall_s.mean)
            lines.push_back(note(loss, run));
    const bool threads = run.threads > 0;
    if (lines.empty() && !losses.empty())
        lines.push_back(std::string("NOTE the ") + (threads ? "threads" : "ranks") +
                        " of every loop are within 1 % of the run from ideal: another technique cannot save more.");
    if (threads && lines.size() < kMost && 1 - run.rank_balance > kWorthSaying)
        lines.push_back("NOTE the ranks differ: those that wait lose " + per_cent(1 - run.rank_balance) +
                        " of the time in loops, which no technique for threads can save.");
    return lines;
}

}  // namespace gimbal
