// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <algorithm>
#include <span>

#include "gimbal/error.hpp"
#include "gimbal/schedule.hpp"
#include "gimbal/technique.hpp"
#include "report/choices.hpp"
#include "report/metrics.hpp"
#include "report/table.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMax = 3;          // notes per report
constexpr double kWorthSaying = 0.01;    // smallest loss that gets a note, as a part of the run (lives_s)
constexpr double kFewPerThread = 2;      // with fewer iterations per thread and call no technique can balance
constexpr std::size_t kPlaceWidth = 44;  // of a name [characters]
constexpr double kShortCall_s = 1e-3;    // of a shorter call Gimbal's own work may be a part worth saying
constexpr double kOutside_s = 1e-6;      // per call: the least that OpenMP takes around a loop (fork or barrier)

/// One loop's losses, mean over ranks, of the time that passed. Kept apart, because their cures differ.
struct Loss {
    const MergedLoop* loop = nullptr;
    double balance_s = 0;     ///< perfect balance would save [s]
    double scheduling_s = 0;  ///< drawing chunks costs [s]
    double late_s = 0;        ///< threads that come late cost [s]
    double entry_s = 0;       ///< entry and exit cost [s]
    [[nodiscard]] double largest() const { return std::max({balance_s, scheduling_s, late_s, entry_s}); }
    [[nodiscard]] double all() const { return balance_s + scheduling_s + late_s + entry_s; }
};

/// The schedule that ran most often. One that was held while placement tried something was chosen before, for another
/// reason.
const ScheduleUse* main_schedule(const LoopSummary& loop) {
    const auto rank = [](const ScheduleUse& use) { return std::pair(use.reason != "held", use.calls); };
    const auto most = std::max_element(loop.schedules.begin(), loop.schedules.end(),
                                       [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
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
    if (use && use->reason == "GIMBAL_LOOPS") return "Try " + schedule + " in its rule of GIMBAL_LOOPS";
    if (loop.over_ranks) return "Try GIMBAL_MPI_SCHEDULE=" + schedule;
    if (use && use->reason == "the program") return "Try " + schedule + " in the program";
    if (use && use->reason == "default") return "Try GIMBAL_SELECT=auto";
    return std::string("Try ") + (use && use->reason == "OMP_SCHEDULE" ? "OMP_SCHEDULE" : "GIMBAL_SCHEDULE") + "=" +
           schedule;
}

bool is_faster(const AlternativeUse& other) {
    return !other.schedule.empty() && other.ratio < 1 - kWorthSaying && differs(other);
}

/// For loops whose schedule somebody named: what this run measured to be faster, else to let Gimbal measure. A
/// technique that nobody has measured or simulated on this loop is not advised: any of them may be slower.
std::string measured_advice(const LoopSummary& loop, const ScheduleUse* use) {
    if (use && use->reason == kNotRecorded)
        return "The replayed record does not have it: record it too, or leave out GIMBAL_REPLAY.";
    const AlternativeUse& other = loop.alternative;
    if (is_faster(other) && !other.predicted)
        return try_schedule(loop, use, other.schedule) + ": it took " + per_cent(1 - other.ratio) + " less time in " +
               count(other.calls, "call", "calls") + ".";
    std::uint64_t chunk = 0;  // a promise that chunks begin at its multiples, which has to be kept
    try {
        if (use) chunk = parse_schedule(use->schedule).chunk;
    } catch (const Error&) {  // a word that is no schedule, from another version
    }
    const std::string runtime = chunk > 1 ? "runtime," + std::to_string(chunk) : "runtime";
    return try_schedule(loop, use, runtime) + ": Gimbal then measures and chooses.";
}

/// What helps where a selector chooses: to name a technique is its business.
std::string selector_advice(const LoopSummary& loop, const std::string& selector, const MergedRun& run) {
    if (2 * loop.exploring_calls > loop.calls) {
        const bool once = loop.calls <= std::max(1U, run.ranks_seen) && loop.earlier_run.empty();
        const std::string why =
            once ? "It ran once, when nothing was known of it" : "Most calls explored: a longer run settles";
        if (selector != "auto") return why + ", and GIMBAL_RECORD and GIMBAL_REPLAY keep what it learnt.";
        return why + (run.keeps ? ", and the next run begins where this one ends (GIMBAL_CACHE)." : ".");
    }
    if (selector == "GIMBAL_REPLAY") return "The replayed record chose it: without GIMBAL_REPLAY Gimbal chooses anew.";
    const AlternativeUse& other = loop.alternative;
    if (is_faster(other) && other.predicted)
        return selector + " now expects " + other.schedule + " to take " + per_cent(1 - other.ratio) + " less time.";
    if (is_faster(other))
        return selector + " has seen " + other.schedule + " take " + per_cent(1 - other.ratio) + " less time in " +
               count(other.calls, "call", "calls") + ".";
    if (loop.schedules.size() == 1) return selector + " has tried nothing else.";
    return selector + " has found no faster schedule.";
}

/// What helps against a loss that another schedule may cure.
std::string schedule_advice(const LoopSummary& loop, const ScheduleUse* use, const MergedRun& run) {
    if (use && !use->timed) return "This is of the calls before it was left to OpenMP.";
    if (use && chosen_by_selector(use->reason)) return selector_advice(loop, use->reason, run);
    return measured_advice(loop, use);
}

/// Iterations of the longest call; where that is not known, and all calls had as many, of each.
std::string few_iterations(const LoopSummary& loop) {
    const double longest = loop.longest > 0 ? static_cast<double>(loop.longest)
                                            : static_cast<double>(loop.iterations) /
                                                  static_cast<double>(std::max<std::uint64_t>(1, loop.calls));
    if (longest >= kFewPerThread * loop.workers) return {};
    return (lengths_differ(loop) ? "At most " : "Only ") + fixed(longest, loop.longest == 0 && longest < 10 ? 1 : 0) +
           (loop.steals ? " items" : " iterations") + " per call for " + workers_text(loop) + ": split them" +
           (loop.over_ranks ? "." : ", or collapse loops.");
}

std::string balance_advice(const LoopSummary& loop, const MergedRun& run) {
    const ScheduleUse* const use = main_schedule(loop);
    const std::string technique = technique_of(use);
    const std::string few = few_iterations(loop);
    if (!few.empty()) return few;
    if (loop.steals) return "Smaller items, or GIMBAL_MPI_STEAL_RATIO=agent, may help.";
    if (technique == "ss" && loop.chunks >= loop.iterations)
        return "Chunks are single iterations already: split the longest ones, or run them first.";
    const bool named = use && use->timed && !chosen_by_selector(use->reason);
    if (named && !loop.tuning.empty() && loop.tuning != "settled")
        return technique + " was still in search of its static fraction: a longer run settles.";
    return schedule_advice(loop, use, run);
}

/// "1.2 s (3.4 % of the run)"
std::string amount_of(double loss_s, const MergedRun& run) {
    const bool side_by_side = run.lives_s > (1 + kWorthSaying) * run.wall_s.mean;
    return seconds(loss_s) + " s (" + per_cent(run.lives_s > 0 ? loss_s / run.lives_s : 0) +
           (side_by_side ? " of the time of its processes)" : " of the run)");
}

bool is_by_late_threads(const Loss& loss) {
    return loss.late_s >= loss.largest() && loss.balance_s < loss.largest();
}

/// Entry and exit cost most.
std::string entry_note(const Loss& loss, const MergedRun& run) {
    const LoopSummary& loop = loss.loop->sum;
    const std::string text = "entry and exit cost " + amount_of(loss.entry_s, run);
    const std::uint64_t timed = std::max<std::uint64_t>(1, loop.calls - std::min(loop.calls, loop.untimed_calls));
    const double call_s = (loop.time_s + time_parts(loop).entry_exit_s) / static_cast<double>(timed);
    if (call_s < kShortCall_s)
        return text + ": its calls are short. " + schedule_advice(loop, main_schedule(loop), run);
    return text + ", but its calls are not short (" + fixed(1e3 * call_s, call_s < 0.1 ? 1 : 0) +
           " ms): threads lost their cores there, to other programs or to more threads than there are cores.";
}

/// @param again  that threads come late to a loop was said of another one
std::string note(const Loss& loss, const MergedRun& run, bool again) {
    const LoopSummary& loop = loss.loop->sum;
    const std::string amount = amount_of(loss.largest(), run);
    const std::string name = "NOTE " + shorten_name(loop.name, 44) + ": ";
    if (loss.balance_s >= loss.largest())
        return name + "perfect balance would save " + amount + ". " + balance_advice(loop, run);
    if (is_by_late_threads(loss))
        return name + "threads that come late to it cost " + amount +
               (again ? ", as above."
                      : ". They still work before the loop (single, master, a nowait loop), have to be woken up, or "
                        "have no core: a dynamic schedule gives their iterations to the others, none makes them come "
                        "sooner.");
    if (loss.entry_s >= loss.largest()) return name + entry_note(loss, run);
    const Technique* const technique = find_technique(technique_of(main_schedule(loop)));
    // Looking for somebody to steal from is not counted.
    const bool steals = technique != nullptr && technique->info().family == "stealing";
    return name + "drawing chunks costs " + (steals ? "at least " : "") + amount + ". " +
           schedule_advice(loop, main_schedule(loop), run);
}

/// Losses of all loops whose workers are all known, the largest first.
std::vector<Loss> losses_of(const MergedRun& run) {
    std::vector<Loss> losses;
    for (const MergedLoop& loop : run.loops) {
        if (!loop.knows_all_workers()) continue;
        const TimeParts parts = time_parts(loop.sum);
        // Executions that ran at the same time lose that time once.
        if (loop.sum.over_ranks) {
            // One loop for all of them. Where its executions overlap nobody waits before or after.
            const double balance_s = std::max(0.0, loop.sum.busy_max_s - loop.sum.busy_mean_s);
            losses.push_back({.loop = &loop,
                              .balance_s = balance_s / loop.overlap,
                              .scheduling_s = parts.scheduling_s / loop.overlap});
            continue;
        }
        const double each = 1 / (std::max(1U, run.ranks_seen) * loop.overlap);
        losses.push_back({.loop = &loop,
                          .balance_s = parts.waiting_s * each,
                          .scheduling_s = parts.scheduling_s * each,
                          .late_s = parts.late_s * each,
                          .entry_s = parts.entry_exit_s * each});
    }
    std::stable_sort(losses.begin(), losses.end(),
                     [](const Loss& a, const Loss& b) { return a.largest() > b.largest(); });
    return losses;
}

/// A worker whose core does less than the others': no schedule makes it faster.
std::string note_on_rate(const MergedLoop& loop, const MergedRun& run) {
    const SlowWorker& slow = *loop.sum.slow;
    const bool rank = loop.sum.over_ranks;
    std::string who = (rank ? "rank " : "thread ") + std::to_string(slow.worker);
    if (!rank && run.ranks > 1) who += " of rank " + std::to_string(slow.rank);
    std::string text = "NOTE " + shorten_name(loop.sum.name, kPlaceWidth) + ": " + who + " works at " +
                       per_cent(slow.rate) + " of the others' rate (" +
                       (slow.by_instructions ? "by instruction counts" : "by what the same iterations cost others");
    if (slow.processor >= 0) text += "; on processor " + std::to_string(slow.processor);
    text += "): its core is slower, or other programs use it.";
    if (run.cores_lent > 0) return text + " Cores were lent " + std::to_string(run.cores_lent) + " times.";
    if (run.placed && !rank) return text + " The lines on placement say where --pin had it.";
    return text +
           (rank ? " --elastic lends it the cores of ranks that wait." : " --pin moves it where a core is free.");
}

/// The loop in which a slow worker costs most, if that is worth saying.
std::string note_on_slowest(const MergedRun& run) {
    const MergedLoop* most = nullptr;
    double most_s = kWorthSaying * run.lives_s;
    for (const MergedLoop& loop : run.loops) {
        if (!loop.sum.slow) continue;
        // Not of what threads wait, for something else perhaps.
        const double busy_s = loop.sum.busy_mean_s / (loop.sum.over_ranks ? 1 : std::max(1U, loop.ranks));
        const double time_s = std::min(loop.time_s.mean, busy_s) / loop.overlap;
        const double cost_s = (1 - loop.sum.slow->rate) * time_s / loop.sum.workers;
        if (cost_s < most_s) continue;
        most = &loop;
        most_s = cost_s;
    }
    return most ? note_on_rate(*most, run) : std::string();
}

/// All loops together, where none of them alone is worth a note.
std::string note_on_all(std::span<const Loss> losses, const MergedRun& run) {
    Loss sum;
    std::uint64_t calls = 0, untimed = 0, unseen = 0;
    double in_loops_s = 0, known_s = 0;
    for (const Loss& loss : losses) {
        untimed += loss.loop->sum.untimed_calls;
        if (left_unseen(loss.loop->sum)) unseen += loss.loop->sum.calls;
        const double time_s = loss.loop->time_s.mean / loss.loop->overlap;
        known_s += all_over_timed(loss.loop->sum) * time_s;
        if (!loss.loop->sum.over_ranks) in_loops_s += time_s;
        sum.balance_s += loss.balance_s;
        sum.scheduling_s += loss.scheduling_s;
        sum.late_s += loss.late_s;
        sum.entry_s += loss.entry_s;
        if (!loss.loop->sum.over_ranks) calls += loss.loop->sum.calls;
    }
    // Loops that ran inside each other, or at the same time, lose no more than the time there was.
    if (in_loops_s > run.lives_s)
        for (double* const part : {&sum.balance_s, &sum.scheduling_s, &sum.late_s, &sum.entry_s})
            *part *= run.lives_s / in_loops_s;
    const double worth_s = kWorthSaying * run.lives_s;
    if (sum.all() >= worth_s && sum.all() > 0) {
        return "NOTE all loops together lose " + amount_of(sum.all(), run) + ": waiting " + seconds(sum.balance_s) +
               " s, late threads " + seconds(sum.late_s) + " s, drawing chunks " + seconds(sum.scheduling_s) +
               " s, entry and exit " + seconds(sum.entry_s) + " s.";
    }
    if (unseen > 0 && untimed < calls && 2 * known_s < run.lives_s)
        return "NOTE " + count(unseen, "call of a loop", "calls of loops") + " that came right after short ones " +
               (unseen == 1 ? "was left to OpenMP and not timed: it" : "were left to OpenMP and not timed: they") +
               " may be most of the run.";
    std::string text = "NOTE all loops together lose less than 1 % of the run";
    if (untimed > 0 && untimed == calls)
        text = "NOTE all loops were left to OpenMP in every call and not timed";
    else if (untimed > 0)
        text += " in the " + count(calls - untimed, "call that was timed", "calls that were timed");
    const double outside_s = static_cast<double>(calls) * kOutside_s / std::max(1U, run.ranks_seen);
    if (outside_s >= worth_s && calls > 0)
        return text + "; what OpenMP takes around their " + count(calls, "call", "calls") +
               " (forks, barriers) is not measured, and no schedule saves it.";
    if (!run.program_schedule.empty()) return {};  // of loops that are not seen
    return text + (untimed > 0 ? "." : ": another technique cannot save more.");
}

/// Loops that Gimbal would take, had the program not said how they run.
std::string note_on_program_schedule(const MergedRun& run) {
    if (run.program_schedule.empty()) return {};
    return "NOTE the program calls omp_set_schedule(" + run.program_schedule +
           "): its loops with schedule(runtime) use that from there on and are not in the table; --loops '*=runtime' "
           "hands them to Gimbal.";
}

bool any_borrowed(const MergedRun& run) {
    return std::any_of(run.loops.begin(), run.loops.end(),
                       [](const MergedLoop& loop) { return loop.sum.borrowed_s > 0; });
}

/// What ranks lose that wait for others, and what can be done about it.
std::string note_on_ranks(const MergedRun& run) {
    if (!run.efficiency) {
        if (run.threads == 0 || run.alone || !run.ranks_timed || !run.ranks_known) return {};
        if (1 - run.rank_balance <= kWorthSaying) return {};
        const std::string lost =
            "NOTE the ranks differ: those that wait lose " + per_cent(1 - run.rank_balance) + " of the time in loops. ";
        if (run.unseen_mpi)
            return lost +
                   "Where they wait is not seen, and --elastic has no effect: the functions of MPI that the program "
                   "calls come before Gimbal's, or MPI_Session_init began it.";
        return lost + "gimbal run -n with --mpi-waiting on shows where they wait; --elastic lends their cores.";
    }
    const Efficiency& parts = *run.efficiency;
    const double lost_s = parts.ranks_balance_s + parts.serialisation_s;
    if (lost_s <= kWorthSaying * parts.all_s()) return {};
    std::string text =
        "NOTE ranks that wait for others lose " + per_cent(lost_s / parts.all_s()) + " of the cores' time";
    bool may_sleep = true;
    if (!run.waiting_places.empty()) {
        // The rest of the loss may be nowhere: waiting for the last rank to come to MPI_Finalize is no call's.
        const WaitingPath& place = run.waiting_places.front();
        if (2 * place.waiting_s * parts.threads > lost_s) {
            text += ", most at " + shorten_name(place.name, kPlaceWidth) + " (" + place.call + ")";
            // Windows need the progress of ranks that wait, and who makes communicators does not sleep.
            may_sleep = !place.call.starts_with("MPI_Win_") && !place.call.starts_with("MPI_Comm_");
        }
    }
    if (run.elastic_in_vain && !run.elastic) return text + ". --elastic has no effect here; a warning says why.";
    if (run.elastic && run.regions_with_numbers > 0)
        return text + ". Their cores could not join " + std::to_string(run.regions_with_numbers) +
               (run.regions_with_numbers == 1 ? " region" : " regions") +
               " that would use them: the code asks for numbers of threads (omp_get_thread_num, or a static loop of "
               "gcc's beside), and may count on those that it was told.";
    if (run.elastic && !any_borrowed(run))
        return text +
               ". Nobody could use their cores: that takes parallel regions of 1 ms and more that are nothing but "
               "schedule(runtime) loops.";
    if (run.elastic) return text + ". Their cores were lent; loops over ranks (gimbal/mpi/loop.hpp) move the work.";
    return text + (may_sleep && run.threads > 0 ? ". Try --elastic: ranks of a node that wait lend their cores." : ".");
}

}  // namespace

std::vector<std::string> notes(const MergedRun& run) {
    const std::vector<Loss> losses = losses_of(run);
    std::vector<std::string> others = {note_on_program_schedule(run), note_on_ranks(run), note_on_slowest(run)};
    std::erase(others, "");
    // What is said once about the whole run is not hidden by loops, nor the loop that loses most by it.
    const std::size_t for_loops = kMax - std::min(others.size(), kMax - 1);
    std::vector<std::string> lines;
    bool late = false;
    for (const Loss& loss : losses) {
        if (lines.size() == for_loops || !(loss.largest() > 0) || loss.largest() < kWorthSaying * run.lives_s) break;
        lines.push_back(note(loss, run, late));
        late |= is_by_late_threads(loss);
    }
    if (lines.empty() && !losses.empty()) others.insert(others.begin(), note_on_all(losses, run));
    for (std::string& line : others)
        if (lines.size() < kMax && !line.empty()) lines.push_back(std::move(line));
    return lines;
}

}  // namespace gimbal
