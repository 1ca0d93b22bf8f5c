// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/run_record.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <utility>

#include "loop/site_table.hpp"
#include "measure/clock.hpp"
#include "measure/dispatch_cost.hpp"
#include "process/warnings.hpp"
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

}  // namespace

RunRecord current_record() {
    RunRecord record = describe_process();
    record.wall_s = seconds_since_start();
    record.openmp = openmp_path();
    for (std::string& complaint : unmatched_rules()) warn_once(std::move(complaint));
    record.warnings = warnings();
    const std::vector<LoopSite*> sites = all_sites();
    if (sites.empty()) return record;
    const double tick_s = seconds_per_tick();
    const double dispatch_s = dispatch_ticks() * tick_s;
    record.dispatch_ns = dispatch_s * 1e9;
    for (const LoopSite* site : sites) {
        LoopSummary summary = site->summary(tick_s, dispatch_s);
        if (summary.calls > 0) record.loops.push_back(std::move(summary));
    }
    const auto by_time = [](const LoopSummary& a, const LoopSummary& b) { return a.time_s > b.time_s; };
    std::stable_sort(record.loops.begin(), record.loops.end(), by_time);
    return record;
}

}  // namespace gimbal
