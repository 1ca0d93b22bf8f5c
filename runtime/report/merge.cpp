// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/merge.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/warnings.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "gimbal/rank_cores.h"
#include "report/choices.hpp"
#include "report/metrics.hpp"

namespace gimbal {

namespace {

/// The time in which any process of a rank lived [s]: processes that ran side by side count once.
double time_alive(std::span<const RunRecord> records, int rank) {
    std::vector<std::pair<double, double>> lives;
    double alive_s = 0;
    for (const RunRecord& record : records) {
        if (record.rank != rank) continue;
        if (record.started_s > 0)
            lives.emplace_back(record.started_s, record.started_s + record.wall_s);
        else
            alive_s += record.wall_s;  // when that was is not known
    }
    std::sort(lives.begin(), lives.end());
    double until_s = 0;
    for (const auto& [begin_s, end_s] : lives) {
        alive_s += std::max(0.0, end_s - std::max(begin_s, until_s));
        until_s = std::max(until_s, end_s);
    }
    return alive_s;
}

/// The lives of a rank's processes that ran loops, one after the other [s]: what their losses are a part of.
double lives_of(std::span<const RunRecord> records, int rank) {
    double lives_s = 0;
    for (const RunRecord& record : records)
        if (record.rank == rank && !(record.loops.empty() && record.unfinished.empty())) lives_s += record.wall_s;
    return lives_s;
}

/// Whether processes that a launcher started are copies of a program that has no MPI.
bool know_no_mpi(std::span<const RunRecord> records) {
    return std::all_of(records.begin(), records.end(), [](const RunRecord& record) {
        return record.mpi == MpiHere::none && !record.waiting &&
               std::none_of(record.loops.begin(), record.loops.end(), [](const auto& loop) { return loop.over_ranks; });
    });
}

void add_schedules(const LoopSummary& loop, LoopSummary& sum) {
    for (const ScheduleUse& use : loop.schedules) {
        const auto same = std::find_if(sum.schedules.begin(), sum.schedules.end(), [&](const ScheduleUse& other) {
            return other.schedule == use.schedule && other.reason == use.reason && other.exploring == use.exploring &&
                   other.timed == use.timed;
        });
        if (same == sum.schedules.end()) {
            sum.schedules.push_back(use);
        } else {
            add_use(use, *same);
        }
    }
}

/// What a loop is, as the last record says.
void name(const LoopSummary& loop, LoopSummary& sum) {
    sum.name = loop.name;
    sum.module = loop.module;
    sum.offset = loop.offset;
    sum.function = loop.function;
    sum.build = loop.build;
    sum.workers = loop.workers;
    sum.over_ranks = loop.over_ranks;
}

/// Several records know of a loop over ranks if several groups of ranks ran one of that name.
void add_workers(const LoopSummary& loop, LoopSummary& sum) {
    sum.per_worker.resize(std::max(sum.per_worker.size(), loop.per_worker.size()));
    for (std::size_t i = 0; i < loop.per_worker.size(); ++i) {
        sum.per_worker[i].busy_s += loop.per_worker[i].busy_s;
        sum.per_worker[i].iterations += loop.per_worker[i].iterations;
        sum.per_worker[i].chunks += loop.per_worker[i].chunks;
    }
}

/// The slowest of all ranks.
void add_slow(const LoopSummary& loop, int rank, LoopSummary& sum) {
    if (!loop.slow || (sum.slow && sum.slow->rate <= loop.slow->rate)) return;
    sum.slow = loop.slow;
    sum.slow->rank = rank;
}

void add_lengths(const LoopSummary& loop, LoopSummary& sum) {
    const bool first = sum.calls == 0;
    sum.shortest = first ? loop.shortest : std::min(sum.shortest, loop.shortest);  // 0, not known, stays
    sum.longest = first || (sum.longest > 0 && loop.longest > 0) ? std::max(sum.longest, loop.longest) : 0;
}

void add(const LoopSummary& loop, LoopSummary& sum) {
    add_lengths(loop, sum);
    sum.calls += loop.calls;
    sum.iterations += loop.iterations;
    sum.chunks += loop.chunks;
    sum.time_s += loop.time_s;
    sum.busy_max_s += loop.busy_max_s;
    sum.busy_mean_s += loop.busy_mean_s;
    sum.late_s += loop.late_s;
    sum.borrowed_s += loop.borrowed_s;
    sum.untimed_calls += loop.untimed_calls;
    sum.untimed_iterations += loop.untimed_iterations;
    sum.scheduling_s += loop.scheduling_s;
    sum.fallbacks += loop.fallbacks;
    sum.static_fraction = loop.static_fraction;  // ranks may differ: the last one's stands for all
    sum.tuning = loop.tuning;
    sum.tuned_schedule = loop.tuned_schedule;
    sum.earlier_run = loop.earlier_run;
    sum.exploring_calls += loop.exploring_calls;
    sum.opening_s += loop.opening_s;
    sum.closing_s += loop.closing_s;
    sum.exploring_cost_s += loop.exploring_cost_s;
    add_schedules(loop, sum);
}

/// Whether what a record says of settings, that nothing went by them, is so in all records of loops: a loop over ranks
/// stands in one of them, and of distributed data the rules of GIMBAL_LOOPS take none.
bool holds_for_all(const std::string& warning, std::span<const RunRecord> records) {
    for (const std::string_view words : {", matched no loop", " had no effect: "}) {
        const std::size_t at = warning.find(words);
        if (at == std::string::npos) continue;
        const std::string_view beginning = std::string_view(warning).substr(0, at + words.size());
        const bool of_rules = warning.starts_with("GIMBAL_LOOPS");
        return std::all_of(records.begin(), records.end(), [&](const RunRecord& record) {
            const auto counts = [&](const LoopSummary& loop) { return !of_rules || !loop.steals; };
            return !record.partial.empty() || std::none_of(record.loops.begin(), record.loops.end(), counts) ||
                   std::any_of(record.warnings.begin(), record.warnings.end(),
                               [&](const std::string& other) { return other.starts_with(beginning); });
        });
    }
    return true;
}

void add_warnings(const RunRecord& record, std::span<const RunRecord> all, std::vector<std::string>& warnings) {
    for (const std::string& warning : record.warnings)
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end() && holds_for_all(warning, all))
            warnings.push_back(warning);
}

struct Growing {
    LoopSummary sum;
    ByRank time_s;
    std::map<int, RankCalls> calls;
    ByRank busy_s;             // with steals: running items
    double alternative_s = 0;  // loop time of the record that the alternative is of
    bool ranks_timed = true;   // as MergedLoop has it
    bool ranks_known = true;   // which ranks of the job its workers are, if they are ranks
};

/// Every rank tells of its own part of the same executions.
void add_steals(const LoopSummary& loop, int rank, Growing& growing) {
    LoopSummary& sum = growing.sum;
    if (!sum.steals) sum.steals.emplace();
    StealFigures& all = *sum.steals;
    const StealFigures& own = *loop.steals;
    all.own += own.own;
    all.stolen += own.stolen;
    all.given += own.given;
    all.attempts += own.attempts;
    all.successes += own.successes;
    all.bytes_in += own.bytes_in;
    all.bytes_out += own.bytes_out;
    all.waiting_s += own.waiting_s;
    all.ratio = own.ratio;
    sum.iterations += loop.iterations;
    if (loop.calls > sum.calls) {
        sum.calls = loop.calls;
        sum.schedules = loop.schedules;
    }
    growing.busy_s[rank] += loop.busy_max_s;
    growing.time_s[rank] += loop.time_s;
}

/// Loop time and imbalance follow from what the ranks told.
void complete_steals(Growing& growing) {
    const auto ranks = static_cast<std::uint32_t>(growing.busy_s.size());
    const OverRanks busy_s = over_ranks(growing.busy_s, ranks);
    growing.sum.busy_max_s = busy_s.max;
    growing.sum.busy_mean_s = busy_s.mean;
    growing.sum.time_s = over_ranks(growing.time_s, ranks).max;
}

/// Ranks may differ in what else they could do; the one that spends most time in the loop stands for all.
void add_alternative(const LoopSummary& loop, Growing& growing) {
    if (loop.alternative.schedule.empty() || loop.time_s <= growing.alternative_s) return;
    growing.sum.alternative = loop.alternative;
    growing.alternative_s = loop.time_s;
}

/// Of a loop over ranks one process knows what each took; workers are the ranks of the job if they are as many, and a
/// single one (MPI_COMM_SELF) is that process. @return whether it is known which ranks they are
bool add_per_rank(const LoopSummary& loop, int own_rank, std::uint32_t ranks, ByRank& seconds) {
    const bool alone = loop.workers == 1 && loop.per_worker.size() == 1;
    if (alone) seconds[own_rank] += loop.per_worker[0].busy_s;
    if (alone || loop.per_worker.size() != ranks) return alone;
    for (auto& [rank, sum] : seconds)
        if (rank >= 0 && static_cast<std::size_t>(rank) < loop.per_worker.size())
            sum += loop.per_worker[static_cast<std::size_t>(rank)].busy_s;
    return true;
}

bool is_in_vain(const RunRecord& record) {
    return std::any_of(record.warnings.begin(), record.warnings.end(),
                       [](const std::string& warning) { return warning.starts_with(GIMBAL_ELASTIC_HAS_NO_EFFECT); });
}

bool wants_elastic(const RunRecord& record) {
    const OptionSpec* const option = find_option("GIMBAL_ELASTIC");
    return std::any_of(record.options.begin(), record.options.end(), [&](const Setting& use) {
        try {
            return use.name == option->name && std::get<bool>(read_value(*option, use.value));
        } catch (const Error&) {  // of another version
            return false;
        }
    });
}

/// What omp_set_schedule() asked for, where no rule of GIMBAL_LOOPS takes loops all the same.
std::string schedule_of_program(const RunRecord& record) {
    const bool rules = std::any_of(record.options.begin(), record.options.end(),
                                   [](const Setting& use) { return use.name == "GIMBAL_LOOPS"; });
    return rules ? std::string() : record.program_schedule;
}

/// A loop over ranks has one loop time, the same for all of them; with steals each rank tells its own.
OverRanks time_over_ranks(const Growing& growing, std::uint32_t ranks_seen) {
    const LoopSummary& sum = growing.sum;
    if (sum.over_ranks && !sum.steals) return {sum.time_s, sum.time_s, sum.time_s};
    const auto ranks = static_cast<std::uint32_t>(growing.time_s.size());
    return over_ranks(growing.time_s, sum.over_ranks ? ranks : ranks_seen);
}

RankCalls calls_of_slowest(const Growing& growing) {
    if (growing.sum.over_ranks) return {growing.sum.calls, growing.sum.untimed_calls};
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    return growing.calls.at(std::max_element(growing.time_s.begin(), growing.time_s.end(), less)->first);
}

/// How many ranks there are, and how long each and its processes lived.
/// @param busy   gets a place for each rank that is seen
/// @param lives  gets the time of the processes of each [s]
void add_ranks(std::span<const RunRecord> records, MergedRun& run, ByRank& busy, ByRank& lives) {
    ByRank wall;
    for (const RunRecord& record : records) {
        run.ranks = std::max(run.ranks, static_cast<std::uint32_t>(std::max(record.ranks, record.rank + 1)));
        wall.try_emplace(record.rank, 0);
        busy.try_emplace(record.rank, 0);
    }
    for (auto& [rank, alive_s] : wall) {
        alive_s = time_alive(records, rank);
        lives[rank] = std::max(alive_s, lives_of(records, rank));
        run.lives_s += lives[rank] / static_cast<double>(wall.size());
    }
    run.ranks_seen = static_cast<std::uint32_t>(wall.size());
    run.wall_s = over_ranks(wall, run.ranks_seen);
}

/// What a record says about the process as a whole.
/// @param all  the records of the run, this one among them
void add_process(const RunRecord& record, std::span<const RunRecord> all, MergedRun& run) {
    run.dispatch_ns += record.dispatch_ns / static_cast<double>(all.size());
    run.cores_lent += record.cores_lent;
    run.placed = run.placed || !record.placement.empty();
    run.regions_with_numbers = std::max(run.regions_with_numbers, record.regions_with_numbers);
    if (run.program_schedule.empty()) run.program_schedule = schedule_of_program(record);
    run.alone = run.alone || record.alone;
    run.unseen_mpi = run.unseen_mpi || (record.mpi == MpiHere::watched && !record.waiting);
    const bool in_vain = is_in_vain(record);
    run.elastic = run.elastic || (!in_vain && wants_elastic(record));
    run.elastic_in_vain = run.elastic_in_vain || in_vain;
    // The words of kept/store.hpp; what was refused is replaced.
    run.keeps = run.keeps || record.cache == "new" || record.cache == "known" || record.cache == "refused";
    add_warnings(record, all, run.warnings);
}

/// @param busy  time in loops of each rank [s]
void add_loop(const LoopSummary& loop, int rank, Growing& growing, MergedRun& run, ByRank& busy) {
    name(loop, growing.sum);
    if (loop.steals) {
        add_steals(loop, rank, growing);
        busy[rank] += loop.busy_max_s;
        return;
    }
    add(loop, growing.sum);
    add_alternative(loop, growing);
    add_slow(loop, rank, growing.sum);
    growing.time_s[rank] += loop.time_s;
    growing.calls[rank].all += loop.calls;
    growing.calls[rank].untimed += loop.untimed_calls;
    if (loop.over_ranks) {
        add_workers(loop, growing.sum);
        growing.ranks_known = add_per_rank(loop, rank, run.ranks, busy) && growing.ranks_known;
    } else {
        growing.ranks_timed = growing.ranks_timed && !mostly_untimed(loop);
        busy[rank] += all_over_timed(loop) * loop.time_s;
        run.threads = std::max(run.threads, loop.workers);
    }
}

/// A loop that is drawn over ranks stands in one record of each group of ranks that ran it, and groups run at the same
/// time: no more of it passed than the run lasted.
double overlap_of(const Growing& growing, const ByRank& lives) {
    double all_s = 0, passed_s = 0, longest_s = 0;
    for (const auto& [rank, seconds] : growing.time_s) {
        all_s += seconds;
        passed_s += std::min(seconds, lives.at(rank));
    }
    for (const auto& [rank, life_s] : lives) longest_s = std::max(longest_s, life_s);
    if (growing.sum.over_ranks && !growing.sum.steals) passed_s = std::min(all_s, longest_s);
    return passed_s > 0 ? all_s / passed_s : 1;
}

/// Whether most of each rank's time in loops was measured: what was not is estimated, or may be the rest of its life.
/// @param busy  time in loops of each rank, by estimate  @param lives  of each rank's processes [s]
bool mostly_timed(std::span<const RunRecord> records, const ByRank& busy, const ByRank& lives) {
    ByRank estimated_s, unseen_s;
    for (const RunRecord& record : records)
        for (const LoopSummary& loop : record.loops) {
            const double own_s = busy.at(record.rank);
            if (!loop.over_ranks && mostly_untimed(loop) && loop.time_s > 0)
                estimated_s[record.rank] += (all_over_timed(loop) - 1) * loop.time_s;
            if (left_unseen(loop)) unseen_s[record.rank] = std::max(0.0, lives.at(record.rank) - own_s);
        }
    return std::all_of(busy.begin(), busy.end(), [&](const auto& rank) {
        return rank.second - estimated_s[rank.first] >= estimated_s[rank.first] + unseen_s[rank.first];
    });
}

/// Whether loops of which nobody knows what each rank took are too short to change the rank balance. A rank is in one
/// of the groups that share a loop: no rank took longer in it than the group that took longest.
/// @param busy_s  time in the other loops, of the rank that has most [s]
bool mostly_known(const std::map<LoopKey, Growing>& loops, double busy_s) {
    constexpr double kWorthSaying = 0.01;  // of busy_s, as in notes.cpp
    double unknown_s = 0;
    for (const auto& [key, growing] : loops)
        if (!growing.ranks_known) unknown_s += over_ranks(growing.time_s, 1).max;
    return unknown_s <= kWorthSaying * busy_s;
}

MergedLoop merged_loop(const LoopKey& key, Growing& growing, std::uint32_t ranks_seen, const ByRank& lives) {
    if (key.steals) complete_steals(growing);
    const auto ranks = static_cast<std::uint32_t>(growing.time_s.size());
    const OverRanks time_s = time_over_ranks(growing, ranks_seen);
    const double overlap = overlap_of(growing, lives);
    const RankCalls calls = calls_of_slowest(growing);
    return {std::move(growing.sum), time_s, calls, ranks, growing.ranks_timed, overlap};
}

}  // namespace

LoopKey key_of(const LoopSummary& loop) {
    return {loop.name, loop.workers, loop.over_ranks, loop.steals.has_value()};
}

MergedRun merge(std::span<const RunRecord> records) {
    MergedRun run;
    std::map<LoopKey, Growing> loops;
    ByRank busy, lives;
    add_ranks(records, run, busy, lives);
    for (const RunRecord& record : records) {
        add_process(record, records, run);
        for (const LoopSummary& loop : record.loops) add_loop(loop, record.rank, loops[key_of(loop)], run, busy);
    }
    if (know_no_mpi(records)) {
        run.alone = true;
        run.warnings.push_back(kNote + std::string("no use of MPI was seen: each of the ") + std::to_string(run.ranks) +
                               " processes did all of its work.");
    }
    run.efficiency = efficiency(records);
    run.waiting_places = waiting_places(records);
    const OverRanks busy_s = over_ranks(busy, run.ranks_seen);
    run.rank_balance = busy_s.max > 0 ? busy_s.mean / busy_s.max : 1;
    run.ranks_timed = mostly_timed(records, busy, lives);
    run.ranks_known = mostly_known(loops, busy_s.max);
    for (auto& [key, growing] : loops) run.loops.push_back(merged_loop(key, growing, run.ranks_seen, lives));
    std::stable_sort(run.loops.begin(), run.loops.end(),
                     [](const MergedLoop& a, const MergedLoop& b) { return a.sum.time_s > b.sum.time_s; });
    return run;
}

}  // namespace gimbal
