// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <algorithm>

#include "report/table.hpp"

namespace gimbal {

namespace {

using Side = TextTable::Side;

constexpr std::size_t kNameWidth = 44;  // [characters]
constexpr std::size_t kFewPlaces = 3;   // where ranks wait, in a report that is not the full one
constexpr double kWorthSaying = 0.001;  // of the time of all ranks
constexpr double kSeen = 0.0005;        // of a factor: less rounds to 1.000

std::string tree(const Efficiency& parts) {
    TextTable table({"efficiency", "factor", "lost core s", "of all"},
                    {Side::left, Side::right, Side::right, Side::right});
    const auto group = [&](const char* name, double factor) { table.add({name, fixed(factor, 3), "", ""}); };
    const auto leaf = [&](const char* name, double factor, double lost_s) {
        table.add({name, fixed(factor, 3), seconds(lost_s), per_cent(lost_s / parts.all_s())});
    };
    group("parallel efficiency", parts.parallel());
    group("  MPI parallel efficiency", parts.mpi());
    leaf("    load balance", parts.load_balance(), parts.ranks_balance_s);
    group("    communication efficiency", parts.communication());
    leaf("      serialisation", parts.serialisation(), parts.serialisation_s);
    leaf("      transfer", parts.transfer(), parts.transfer_s);
    // Of one thread it has a row only where there is a loss: what calls of loops cost.
    if (parts.threads > 1 || 1 - parts.openmp() >= kSeen) {
        group("  OpenMP parallel efficiency", parts.openmp());
        leaf("    load balance", parts.threads_balance(), parts.threads_balance_s);
        leaf("    scheduling", parts.scheduling(), parts.scheduling_s);
        leaf("    serialisation", parts.serial(), parts.serial_s);
    }
    return table.text();
}

std::string rank_table(std::span<const RunRecord> records) {
    TextTable table({"rank", "in MPI s", "waiting s", "transfer s", "asleep s", "calls"},
                    {Side::left, Side::right, Side::right, Side::right, Side::right, Side::right});
    for (const RunRecord& record : records) {
        if (!record.waiting) continue;
        const WaitingRecord& waiting = *record.waiting;
        table.add({std::to_string(record.rank), seconds(waiting.mpi_s), seconds(waiting.waiting_s),
                   seconds(std::max(0.0, waiting.mpi_s - waiting.waiting_s)), seconds(waiting.asleep_s),
                   std::to_string(waiting.calls)});
    }
    return table.text();
}

std::string last_text(const WaitingPath& place) {
    if (place.last_rank < 0 || place.seen_calls == 0) return "-";
    return "rank " + std::to_string(place.last_rank) + " (" +
           per_cent(static_cast<double>(place.by_that_rank) / static_cast<double>(place.seen_calls)) + ")";
}

std::string place_table(const MergedRun& run, std::size_t most) {
    TextTable table({"where ranks wait", "call", "calls", "waiting s", "transfer s", "last to come"},
                    {Side::left, Side::left, Side::right, Side::right, Side::right, Side::left});
    const double worth_s = kWorthSaying * run.efficiency->ranks * run.efficiency->wall_s;
    std::size_t shown = 0;
    for (const WaitingPath& place : run.waiting_places) {
        if (shown == most || place.waiting_s < worth_s) break;
        table.add({shorten_name(place.name, kNameWidth), place.call, std::to_string(place.calls),
                   seconds(place.waiting_s), seconds(std::max(0.0, place.time_s - place.waiting_s)), last_text(place)});
        ++shown;
    }
    return shown > 0 ? table.text() : std::string();
}

}  // namespace

std::vector<std::string> times_over_ranks(const MergedLoop& loop) {
    const OverRanks& times = loop.time_s;
    if (!loop.ranks_timed) return {"-", seconds(times.mean), "-"};
    return {seconds(times.min), seconds(times.mean), seconds(times.max)};
}

std::string rank_balance_line(const MergedRun& run) {
    if (run.ranks_seen <= 1 || run.loops.empty() || !run.ranks_known) return {};
    return "rank balance " + fixed(run.rank_balance, 3) + " (mean/max of the time in loops" +
           (run.ranks_timed ? ")\n" : ", much of it in calls that were left to OpenMP and not timed)\n");
}

std::string efficiency_text(std::span<const RunRecord> records, const MergedRun& run, bool all) {
    if (!run.efficiency) return {};
    const Efficiency& parts = *run.efficiency;
    std::string text = "between MPI_Init and MPI_Finalize: " + std::to_string(parts.ranks) + " ranks x " +
                       std::to_string(parts.threads) + (parts.threads == 1 ? " thread" : " threads") + " x " +
                       seconds(parts.wall_s) + " s = " + seconds(parts.all_s()) + " core s";
    text += run.threads > 0 ? "\n"
                            : "; counted with one thread per rank: no loop of threads ran under Gimbal, so further "
                              "threads are not known\n";
    text += tree(parts);
    text += place_table(run, all ? run.waiting_places.size() : kFewPlaces);
    if (all) text += rank_table(records);
    return text;
}

}  // namespace gimbal
