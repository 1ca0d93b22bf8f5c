// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/process.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "gimbal/output_file.hpp"
#include "loop/site_table.hpp"
#include "ranks/steal_sums.hpp"
#include "report/files.hpp"
#include "report/run_record.hpp"
#include "report/steps.hpp"
#include "select/background.hpp"

namespace gimbal {

namespace {

constexpr double kFirst_s = 0.2;       // from one look to the next, at first
constexpr double kPeriod_s = 2;        // later
constexpr double kLongest_s = 5;       // where many ranks write into one folder, or there is much to write
constexpr double kLargestPart = 1e-3;  // of a core, that writing may take
constexpr double kQuietPart = 0.125;   // of the wall time, after which a record is written anew where no loop has ended
constexpr int kMany = 64;              // ranks

std::atomic<bool> begun{false};
constexpr std::uint64_t kNothing = UINT64_MAX;
// Of the background thread.
std::uint64_t written_calls = kNothing;
double written_s = 0;                                  // when [s]
std::optional<WaitingRecord>* waiting_then = nullptr;  // in MPI, when the calls were these; never given back

std::uint64_t calls_so_far() {
    std::uint64_t calls = 0;
    for (LoopSite* const site : all_sites()) {
        site->catch_up();
        calls += site->calls();
    }
    for (const LoopSummary& loop : steal_summaries()) calls += loop.calls;
    return calls;
}

/// A device or a pipe is written to once, at exit; a link to a file is replaced, as it is then.
bool is_replaceable(const std::string& path) {
    return !is_stream(path) && output_refusal(path).empty();
}

/// What is lost in MPI and in loops is told of one time: until a loop in progress has ended, that of before it.
/// @param ended  a loop has, since the last one was written
void write_snapshot(bool ended) {
    const bool out_of_reach = is_out_of_reach();
    if (!out_of_reach && nobody_collects()) return;
    RunRecord record = brief_record();
    if (!waiting_then) waiting_then = new std::optional<WaitingRecord>;
    if (ended)
        *waiting_then = record.waiting;
    else
        record.waiting = *waiting_then;
    record.partial = "the process was still running when it wrote this, and wrote nothing later";
    const Options& asked = options();
    const std::string path =
        from_start(asked.run_dir.empty() || out_of_reach ? expand_pattern(asked.output, record)
                                                         : asked.run_dir + "/" + record_file_name(record));
    const std::string text = to_json(record);
    if (is_replaceable(path) && !background_is_stopping()) write_file_aside(path, text, Durable::no);
}

/// Whether there is a place for the record of a process that is killed, and somebody to read it.
bool keeps_record() noexcept {
    const Options& asked = options();
    return !asked.output.empty() || (!asked.run_dir.empty() && asked.report != ReportLevel::off);
}

/// @return time until the next look [s]
double keep_current() {
    const double begun_s = thread_cpu_s();
    try {
        // Here and not where a loop starts: a library's constructor that runs a loop holds the loader's lock.
        note_openmp();
        flush_steps();
        const std::uint64_t calls = calls_so_far();
        const double now_s = seconds_since_start();
        const bool ended = calls != written_calls;
        if ((ended || now_s - written_s >= kQuietPart * now_s) && keeps_record()) {
            write_snapshot(ended);
            written_s = seconds_since_start();
        }
        written_calls = calls;
    } catch (const Error& error) {
        warn_once(std::string("the record of this run is not updated while it runs: ") + error.what());
    }
    const double usual_s = process_environment().ranks > kMany ? kLongest_s : kPeriod_s;
    const double worth_s = std::min((thread_cpu_s() - begun_s) / kLargestPart, kLongest_s);
    return std::max(std::clamp(seconds_since_start() / 4, kFirst_s, usual_s), worth_s);
}

/// The first loop starts the thread, or the first communicator with loops over ranks.
void begin_snapshots() noexcept {
    // Relaxed: nothing is read that another thread wrote before.
    if (begun.exchange(true, std::memory_order_relaxed)) return;
    if ((keeps_record() || steps_wanted()) && !repeat_in_background(keep_current))
        warn_once(
            [] { return "the record of this run is not updated while it runs: its thread could not be started"; });
}

}  // namespace

void allow_snapshots() noexcept {
    after_new_loop = begin_snapshots;
}

void restart_snapshots_in_child() noexcept {
    begun.store(false, std::memory_order_relaxed);
    written_calls = kNothing;
    written_s = 0;
    waiting_then = nullptr;
}

}  // namespace gimbal
