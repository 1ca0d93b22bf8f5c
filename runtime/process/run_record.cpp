// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/run_record.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <utility>

#include "config/selection.hpp"
#include "gimbal/core_loan.h"
#include "gimbal/options.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "measure/clock.hpp"
#include "measure/dispatch_cost.hpp"
#include "placement/settings.hpp"
#include "process/in_vain.hpp"
#include "process/mpi_world.hpp"
#include "process/start.hpp"
#include "process/warnings.hpp"
#include "ranks/settings.hpp"
#include "ranks/steal_sums.hpp"
#include "report/process_record.hpp"

namespace gimbal {

namespace {

// The object that answers OpenMP calls in this process.
std::string openmp_path() {
    void* const symbol = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    Dl_info info{};
    if (!symbol || dladdr(symbol, &info) == 0 || !info.dli_fname) return {};
    return info.dli_fname;
}

/// Who set LB4MPI_RL_... for a program without loops over ranks will wonder why threads do not learn as told.
void warn_of_names_in_vain() {
    if (rank_level_used()) return;
    const std::string names = names_for_ranks(options());
    if (!names.empty())
        warn_once(names +
                  " counted for nothing: these names are for loops over ranks, and this program has none. For "
                  "threads they begin with GIMBAL_RL_ or KMP_RL_.");
}

}  // namespace

RunRecord current_record() {
    RunRecord record = describe_process();
    record.started_s = started_at_s();
    record.wall_s = seconds_since_start();
    record.alone = alone_in_mpi_world();
    record.openmp = openmp_path();
    for (std::string& complaint : unmatched_rules()) warn_once(std::move(complaint));
    warn_of_names_in_vain();
    record.cores_lent = gimbal_cores_lent();
    record.program_schedule = program_schedule();
    record.warnings = warnings();
    record.placement = placement_report().json;
    record.placement_text = placement_report().text;
    record.loops = steal_summaries();
    const std::vector<LoopSite*> sites = all_sites();
    const double tick_s = sites.empty() ? 0 : seconds_per_tick();
    const double dispatch_s = sites.empty() ? 0 : dispatch_ticks() * tick_s;
    record.dispatch_ns = dispatch_s * 1e9;
    for (const LoopSite* site : sites) {
        LoopSummary summary = site->summary(tick_s, dispatch_s);
        if (summary.calls > 0) record.loops.push_back(std::move(summary));
    }
    const auto by_time = [](const LoopSummary& a, const LoopSummary& b) { return a.time_s > b.time_s; };
    std::stable_sort(record.loops.begin(), record.loops.end(), by_time);
    // Not kept for later records: a loop that runs then may go by them.
    for (std::string& sentence : settings_in_vain(options(), record.loops))
        record.warnings.push_back(std::move(sentence));
    return record;
}

}  // namespace gimbal
