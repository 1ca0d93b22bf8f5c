// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when libgimbal.so is loaded into a process, and when that process ends.
#include <unistd.h>

#include <exception>
#include <string>

#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "loop/site_table.hpp"
#include "measure/clock.hpp"
#include "measure/loop_stats.hpp"
#include "process/run_record.hpp"
#include "report/files.hpp"
#include "report/json.hpp"
#include "report/names.hpp"
#include "report/summary.hpp"

namespace gimbal {

namespace {

pid_t loaded_by = 0;

void write_loop_stats(const std::string& path) {
    const double tick_s = seconds_per_tick();
    std::vector<StoredStatistics> all;
    for (const LoopSite* site : all_sites()) {
        const IterationStatistics seen = site->statistics();
        if (seen.known) all.push_back({site->identity().key(), site->workers(), seen.mean * tick_s, seen.sd * tick_s});
    }
    if (!all.empty()) write_file_aside(path, format_loop_stats(all));
}

// Everything that a process leaves behind. Ranks under `gimbal run` leave a record for it to merge; otherwise rank 0
// speaks for itself.
void leave_records() {
    const Options& asked = options();
    if (!asked.loop_stats.empty() && process_environment().rank == 0) write_loop_stats(asked.loop_stats);
    // A process without loops has nothing to say, and need not wait for the clock to be calibrated.
    if (asked.run_dir.empty() && all_sites().empty()) return;
    RunRecord record = current_record();
    if (!asked.run_dir.empty()) {
        write_file_aside(asked.run_dir + "/" + record_file_name(record), to_json(record));
        return;
    }
    if (record.loops.empty()) return;
    const bool speaks = asked.report != ReportLevel::off && record.rank == 0;
    if (!speaks && asked.output.empty()) return;
    resolve_names(record);
    if (!asked.output.empty()) write_file_aside(expand_pattern(asked.output, record), to_json(record));
    if (speaks) write_stderr(summary_text(record, asked.report));
}

__attribute__((constructor)) void on_load() {
    loaded_by = getpid();
    start_clock();
    load_options_or_exit();
}

// A forked child that never called exec would repeat its parent's figures: it stays silent.
__attribute__((destructor)) void on_exit() {
    if (getpid() != loaded_by) return;
    try {
        leave_records();
    } catch (const Error& error) {
        write_stderr(message_text(error, "warning"));
    } catch (const std::exception& error) {
        write_stderr(std::string("gimbal: warning: no report: ") + error.what() + "\n");
    }
}

}  // namespace

}  // namespace gimbal
