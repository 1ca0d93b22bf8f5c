// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when libgimbal.so is loaded into a process, and when that process ends.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/held_signal.hpp"
#include "base/own_stack.hpp"
#include "base/own_state.hpp"
#include "base/process_state.hpp"
#include "base/quote.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "gimbal/rank_loop.h"
#include "kept/store.hpp"
#include "lending/loan.hpp"
#include "lending/node_cores.hpp"
#include "lending/shared_cores.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "loop/watch.hpp"
#include "measure/loop_stats.hpp"
#include "process/process.hpp"
#include "process/statics.hpp"
#include "ranks/steal_sums.hpp"
#include "ranks/waiting.hpp"
#include "report/files.hpp"
#include "report/names.hpp"
#include "report/run_record.hpp"
#include "report/steps.hpp"
#include "report/summary.hpp"
#include "report/table.hpp"
#include "select/background.hpp"
#include "select/replay.hpp"
#include "topology/topology.hpp"

namespace gimbal {

namespace {

pid_t loaded_by = 0;

// What this run saw replaces what the file held about the same loops and team sizes; the rest stays.
void write_loop_stats(const std::string& path) {
    const double tick_s = seconds_per_tick();
    std::optional<std::vector<StoredStatistics>> all = stored_statistics_now();
    if (!all) return;
    bool changed = false;
    for (LoopSite* const site : all_sites()) {
        const IterationStatistics seen = site->statistics();
        if (!seen.known) continue;
        const StoredStatistics fresh{name_in_loop_stats(site->identity().key()), site->workers(), seen.mean * tick_s,
                                     seen.sd * tick_s};
        std::erase_if(*all, [&](const auto& old) { return old.loop == fresh.loop && old.workers == fresh.workers; });
        all->push_back(fresh);
        changed = true;
    }
    if (changed) write_file_aside(path, format_loop_stats(*all));
}

// A signal handler that ends the process may have interrupted the learning.
void keep_what_was_learnt() {
    if (ending_in_handler()) return;
    std::vector<LoopSite*> sites = all_sites();
    std::stable_sort(sites.begin(), sites.end(),
                     [](const LoopSite* a, const LoopSite* b) { return a->time() > b->time(); });
    std::map<std::uint32_t, std::vector<KeptLoop>> teams;
    std::deque<std::string> texts;  // that they point into
    for (LoopSite* const site : sites) {
        const std::string& bytes = texts.emplace_back(site->to_keep());
        if (!bytes.empty()) teams[site->workers()].push_back({site->kept_id(), bytes});
    }
    for (const auto& [workers, loops] : teams) keep_knowledge(workers, loops);
}

void complain(std::string_view text) noexcept {
    if (stderr_is_the_same()) write_stderr(text);
}

// There may be too little to say even that, and what ends is a stranger's process: it ends as it would have.
void complain_of_memory() noexcept {
    static std::atomic<bool> said{false};
    if (!said.exchange(true))
        complain("gimbal: warning: no memory is left: what Gimbal reports, or keeps for later runs, is incomplete.\n");
}

// One failure must not cost what else there is to say.
template <class Task>
void attempt(Task task) noexcept try {
    try {
        task();
    } catch (const Error& error) {
        complain(message_text(error, "warning"));
    } catch (const std::bad_alloc&) {
        complain_of_memory();
    } catch (const std::exception& error) {
        complain(std::string("gimbal: warning: ") + error.what() + "\n");
    }
} catch (const std::bad_alloc&) {
    complain_of_memory();
}

// What a lock that could not be had costs the report.
void warn_of_missing(RunRecord& record) {
    const std::string missing = missing_parts();
    if (!missing.empty())
        record.warnings.push_back(
            "exit() was called in a signal handler that interrupted Gimbal; missing here: " + missing + ".");
}

// Finding names takes the heap and the loader, which the signal handler may have interrupted.
void name_loops(RunRecord& record) {
    if (!ending_in_handler()) {
        const HeldSignals held;
        return resolve_names(record);
    }
    bool unnamed = false;
    const auto name = [&](auto& loop) {
        if (loop.module.empty() || !loop.name.empty()) return;
        unnamed = true;
        loop.name = loop_name(loop.module, loop.offset, {});
    };
    for (LoopSummary& loop : record.loops) name(loop);
    for (UnfinishedLoop& loop : record.unfinished) name(loop);
    if (unnamed)
        record.warnings.emplace_back(
            "loops have no file and line: exit() was called in a signal handler, where they cannot be looked up. "
            "`gimbal run` and `gimbal report` look them up.");
}

// A file that was asked for and is not written, since loops are the OpenMP runtime's own.
void say_nobody_asked(const Options& asked) {
    if (!nobody_asked() || process_environment().rank != 0 || !stderr_is_the_same()) return;
    for (const char* const name : {"GIMBAL_OUTPUT", "GIMBAL_TRACE", "GIMBAL_REPORT", "GIMBAL_PIN"}) {
        const auto use = std::find_if(asked.effective.begin(), asked.effective.end(),
                                      [&](const Setting& setting) { return setting.name == name; });
        if (use == asked.effective.end() || use->origin == "default") continue;
        if (use->name == "GIMBAL_REPORT" && asked.report != ReportLevel::full) continue;
        if (use->name == "GIMBAL_PIN" && (asked.pin.mode == "off" || placement_is_loaded())) continue;
        write_stderr("gimbal: warning: " + use->name + "=" + escape_controls(use->value) +
                     " had no effect: no setting asks for Gimbal\n        with LD_PRELOAD set GIMBAL_SCHEDULE=runtime, "
                     "too, or use `gimbal run`\n");
        return;
    }
}

// Everything that a process leaves behind. Ranks under `gimbal run` leave a record for it to merge; otherwise rank 0
// speaks for itself.
void leave_records() {
    const Options& asked = options();
    const bool first_rank = process_environment().rank == 0;
    // A forked child knows nothing of its parent's loops, which the file is to keep.
    if (!asked.loop_stats.empty() && first_rank && !is_forked())
        attempt([&] { write_loop_stats(from_start(asked.loop_stats)); });
    const bool nothing_ran = all_sites().empty() && !any_steals() && placement_report().json.empty();
    if (nothing_ran && asked.run_dir.empty() && !waiting_is_known()) say_nobody_asked(asked);
    const bool speaks = asked.report != ReportLevel::off && first_rank && stderr_is_the_same();
    const bool heard = asked.run_dir.empty() ? speaks : asked.report != ReportLevel::off;
    if (!heard && asked.output.empty()) return;
    // A process without loops has nothing to say, and need not wait for the clock to be calibrated.
    if (asked.run_dir.empty() && nothing_ran && !waiting_is_known()) return;
    RunRecord record = current_record();
    warn_of_missing(record);
    const auto write_output = [&] {
        write_file_aside(from_start(expand_pattern(asked.output, record)), to_json(record));
    };
    if (is_out_of_reach()) {
        if (nothing_ran && !waiting_is_known()) return;  // a shell before the rank's program
        if (!ending_in_handler()) name_loops(record);
        return write_output();
    }
    if (!asked.run_dir.empty()) {
        if (nobody_collects()) return;
        try {
            write_file_aside(from_start(asked.run_dir) + "/" + record_file_name(record), to_json(record));
        } catch (const Error&) {
            if (nobody_collects()) return;  // since a moment ago
            // There may be room where the record is to be in the end.
            if (asked.output.empty()) throw;
            write_file_aside(own_path(from_start(expand_pattern(asked.output, record))), to_json(record));
            throw;
        }
        return;
    }
    if (record.loops.empty() && record.unfinished.empty() && record.placement.empty() && !record.waiting) {
        // There is nothing to report, but rules may have been written in vain.
        if (speaks)
            for (const std::string& warning : record.warnings)
                write_stderr("gimbal: warning: " + escape_controls(warning) + "\n");
        return;
    }
    // Who reads the file can look up what is not looked up here.
    if (!asked.output.empty() && ending_in_handler()) attempt(write_output);
    name_loops(record);
    if (!asked.output.empty() && !ending_in_handler()) attempt(write_output);
    if (speaks)
        write_stderr(summary_text(record, asked.report, output_width(process_environment().columns, STDERR_FILENO)));
}

// A record that cannot be followed is a wrong setting, perhaps of one rank alone.
void check_replay() {
    const std::string& refusal = replay_refusal();
    if (refusal.empty()) return;
    const Options& asked = options();
    const Error error(ErrorCode::file,
                      "GIMBAL_REPLAY: " + refusal + " (from the " + std::string(asked.origin("GIMBAL_REPLAY")) + ").",
                      "it must be a file that GIMBAL_RECORD wrote");
    if (asked.strict)
        keep_out(error, replays_own_file());
    else if (process_environment().rank == 0 || replays_own_file())
        write_stderr(message_text(error, "warning"));
}

// The process ends, by exit() or quick_exit(), perhaps in a signal handler that interrupted anything, this included.
__attribute__((destructor)) void on_exit() {
    static std::atomic<bool> begun{false};
    if (getpid() != loaded_by || begun.exchange(true)) return;
    const ProcessEnding ending_here;
    const OwnState own;
    stop_background();
    with_room([] {
        attempt(keep_what_was_learnt);
        attempt(finish_steps);
        attempt(write_trace_at_end);
        attempt(leave_records);
    });
}

// A child has the mask of the thread that forks: no lender's core may be in it.
void before_fork() {
    const NotCancelled uncancelled;
    gimbal_loans_pause();
    await_topology(kPatience_ms);
    hold_table();
    hold_statics();
}

void after_fork() {
    release_statics();
    release_table();
    gimbal_loans_resume();
}

// A forked child has only the thread that forked, and locks that others held stay locked: it begins with locks of its
// own, and with sums of its own, so that it can report what it does itself.
void in_child() {
    note_forked();
    restart_statics_in_child();
    release_table();
    restart_in_child();
    restart_warnings_in_child();
    restart_steps_in_child();
    restart_background_in_child();
    restart_snapshots_in_child();
    attempt(begin_trace_in_child);
    restart_steals_in_child();
    restart_placement_in_child();
    restart_loans_in_child();
    forget_shared_cores_in_child();
    node_cores().forget_in_child();
    forget_waiting_in_child();
    keep_nothing_in_child();
    gimbal_progress_set(nullptr, nullptr, 1);  // a child is no rank that others ask
    thread_watch = nullptr;
    loaded_by = getpid();
}

__attribute__((constructor)) void on_load() {
    loaded_by = getpid();
    note_start();
    start_clock();
    load_options_at_start();
    note_run_folder();
    attempt(check_replay);
    attempt(begin_trace);
    note_mpi();
    at_new_site = look_at_mpi_world;
    allow_snapshots();
    load_topology_elsewhere = [](void (*load)()) noexcept {
        const HeldSignals held;  // a handler may open a loop, too
        return run_in_background(/*elsewhere=*/true, load);
    };
    pthread_atfork(before_fork, after_fork, in_child);
    at_quick_exit(on_exit);
}

}  // namespace

}  // namespace gimbal
