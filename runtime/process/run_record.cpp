// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/process.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/held_signal.hpp"
#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "config/selection.hpp"
#include "gimbal/core_loan.h"
#include "gimbal/elastic_team.h"
#include "gimbal/openmp_use.h"
#include "gimbal/options.hpp"
#include "kept/store.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "measure/dispatch_cost.hpp"
#include "ranks/settings.hpp"
#include "ranks/steal_sums.hpp"
#include "ranks/waiting.hpp"
#include "report/run_record.hpp"

namespace gimbal {

namespace {

/// What answers OpenMP calls in this process.
struct OpenmpRuntime {
    std::string path;                         ///< of the object; empty: there is none
    decltype(&kmp_gimbal_use) use = nullptr;  ///< nullptr: it is not Gimbal's
};

// nullptr: not looked up yet. Never given back.
std::atomic<const OpenmpRuntime*> known_openmp{nullptr};

// Asking takes the loader and, if there is none, the heap.
OpenmpRuntime openmp_runtime() {
    const HeldSignals held;
    OpenmpRuntime runtime;
    void* const symbol = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    Dl_info info{};
    if (!symbol || dladdr(symbol, &info) == 0 || !info.dli_fname) return runtime;
    runtime.path = info.dli_fname;
    runtime.use = reinterpret_cast<decltype(runtime.use)>(dlsym(RTLD_DEFAULT, "kmp_gimbal_use"));
    return runtime;
}

void describe(const OpenmpRuntime& runtime, RunRecord& record) {
    record.openmp = runtime.path;
    if (!runtime.use) return;
    static_assert(static_cast<int>(OpenmpUse::nothing) == GIMBAL_OPENMP_NOTHING + 1 &&
                  static_cast<int>(OpenmpUse::runtime_loops) == GIMBAL_OPENMP_RUNTIME_LOOPS + 1);
    const int use = runtime.use();
    if (use >= GIMBAL_OPENMP_NOTHING && use <= GIMBAL_OPENMP_RUNTIME_LOOPS)  // else of another build
        record.openmp_use = static_cast<OpenmpUse>(use + 1);
}

/// Who set LB4MPI_RL_... for a program without loops over ranks will wonder why threads do not learn as told.
void warn_of_names_in_vain() {
    if (rank_level_used()) return;
    const std::string names = names_for_ranks(options());
    if (!names.empty())
        warn_once(names +
                  " had no effect: these names are for loops over ranks, and this program has none. For "
                  "threads they begin with GIMBAL_RL_ or KMP_RL_.");
}

/// Where a loop lies, whose name is looked up when the record is read: it has none, or other functions may have it,
/// too.
template <class Loop>
void place(const SiteIdentity& identity, Loop& loop) {
    if (!identity.name.empty() && identity.function == 0) return;
    loop.module = identity.module;
    loop.offset = identity.offset;
    loop.function = identity.function;
    loop.build = identity.build;
}

/// What threads were in, of loops that take much of the time: every other moment some loop runs.
std::vector<UnfinishedLoop> unfinished_loops(const std::vector<LoopSite*>& sites, double tick_s, double wall_s) {
    constexpr double kWorthSaying = 0.01;  // of the wall time
    std::vector<UnfinishedLoop> loops;
    for (LoopSite* const site : sites) {
        const std::uint64_t since = site->occupied_since();
        if (since == 0) continue;
        const std::uint64_t now = ticks();
        const double time_s = now > since ? static_cast<double>(now - since) * tick_s : 0;
        if (time_s < kWorthSaying * wall_s) continue;
        const SiteIdentity& identity = site->identity();
        UnfinishedLoop& loop = loops.emplace_back();
        loop.name = identity.name;
        loop.workers = site->workers();
        loop.over_ranks = identity.over_ranks;
        loop.time_s = time_s;
        place(identity, loop);
    }
    std::stable_sort(loops.begin(), loops.end(),
                     [](const UnfinishedLoop& a, const UnfinishedLoop& b) { return a.time_s > b.time_s; });
    return loops;
}

/// @param brief  without the lock of a loop, where the process may end at any moment
RunRecord record_with(bool brief) {
    RunRecord record = describe_process();
    record.started_s = started_at_s();
    record.wall_s = seconds_since_start();
    record.alone = alone_in_mpi_world();
    if (!ending_in_handler()) record.mpi = mpi_here();
    // Acquire: partner of the store in note_openmp().
    const OpenmpRuntime* const known = known_openmp.load(std::memory_order_acquire);
    if (known)
        describe(*known, record);
    else if (!ending_in_handler())
        describe(openmp_runtime(), record);
    record.cores_lent = gimbal_cores_lent();
    record.regions_with_numbers = gimbal_regions_with_numbers();
    record.program_schedule = program_schedule();
    record.warnings = warnings();
    record.loops = steal_summaries();
    record.waiting = waiting_record();
    const std::vector<LoopSite*> sites = all_sites();
    const double tick_s = sites.empty() ? 0 : seconds_per_tick();
    const double dispatch_s = sites.empty() ? 0 : dispatch_ticks() * tick_s;
    record.dispatch_ns = dispatch_s * 1e9;
    for (LoopSite* const site : sites) {
        LoopSummary summary = brief ? site->brief_summary(tick_s, dispatch_s) : site->summary(tick_s, dispatch_s);
        if (summary.calls == 0) continue;
        place(site->identity(), summary);
        if (site->identity().namesake) summary.name_in_steps = site->identity().key();
        record.loops.push_back(std::move(summary));
    }
    record.unfinished = unfinished_loops(sites, tick_s, record.wall_s);
    const auto by_time = [](const LoopSummary& a, const LoopSummary& b) { return a.time_s > b.time_s; };
    std::stable_sort(record.loops.begin(), record.loops.end(), by_time);
    return record;
}

std::atomic<bool> folder_was_there{false};  // relaxed: nothing else is told by it

}  // namespace

void note_run_folder() noexcept {
    try {
        folder_was_there.store(!options().run_dir.empty() && !nobody_collects(), std::memory_order_relaxed);
    } catch (const std::bad_alloc&) {
        // No memory for a path, at the program's start: it will find out by itself.
    }
}

bool nobody_collects() {
    const std::string& folder = options().run_dir;
    return !folder.empty() && access(from_start(folder).c_str(), F_OK) != 0 && errno == ENOENT;
}

bool is_out_of_reach() {
    return process_environment().ranks > 1 && !options().output.empty() &&
           !folder_was_there.load(std::memory_order_relaxed) && nobody_collects();
}

void note_openmp() {
    if (!known_openmp.load(std::memory_order_relaxed))
        known_openmp.store(new OpenmpRuntime(openmp_runtime()), std::memory_order_release);
}

RunRecord current_record() {
    for (std::string& complaint : unmatched_rules()) warn_once(std::move(complaint));
    warn_of_names_in_vain();
    RunRecord record = record_with(false);
    // Not kept for later records: a loop that runs then may go by them.
    for (std::string& sentence : settings_in_vain(options(), record.loops))
        record.warnings.push_back(std::move(sentence));
    record.cache = kept_word();
    record.placement = placement_report().json;
    record.placement_text = placement_report().text;
    return record;
}

RunRecord brief_record() {
    return record_with(true);
}

}  // namespace gimbal
