// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/efficiency.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "report/metrics.hpp"

namespace gimbal {

namespace {

/// One rank. Its processes without MPI are not ranks.
struct Rank {
    double window_s = 0, outside_s = 0, waiting_s = 0;      // outside: not in MPI
    double loops_s = 0;                                     // in Gimbal's loops, of `outside_s`
    double balance_s = 0, scheduling_s = 0, too_few_s = 0;  // [core s]
    double borrowed_s = 0;                                  // that other ranks' cores worked for it [core s]
};

/// How many teams were in a loop at the same time, mean over the time in which any was: the threads of a region may
/// each run it in a team of their own. Records that do not know have had no more time than there was.
double teams_at_once(const LoopSummary& loop, double all_s, double outside_s) noexcept {
    const double known = loop.passed_s > 0 ? loop.time_s / loop.passed_s : 1;
    return std::max({1.0, known, outside_s > 0 ? all_s / outside_s : 1});
}

void add_loop(const LoopSummary& loop, std::uint32_t threads, Rank& rank) noexcept {
    const TimeParts parts = time_parts(loop);
    const double more = all_over_timed(loop), workers = loop.workers;
    const double all_s = more * loop.time_s + parts.entry_exit_s;
    const double teams = teams_at_once(loop, all_s, rank.outside_s), passed_s = all_s / teams;
    rank.loops_s += passed_s;
    rank.balance_s += more * workers * parts.waiting_s;
    rank.scheduling_s += workers * (parts.scheduling_s + more * parts.late_s + parts.entry_exit_s);
    rank.too_few_s += (threads - std::min<double>(threads, teams * workers)) * passed_s;
}

/// Loops that ran at the same time count twice, and so may their losses: no more than the time there was.
void bound(std::uint32_t threads, Rank& rank) noexcept {
    const double factor = rank.loops_s > rank.outside_s ? rank.outside_s / rank.loops_s : 1;
    for (double* const part : {&rank.loops_s, &rank.balance_s, &rank.scheduling_s, &rank.too_few_s}) *part *= factor;
    const double losses_s = rank.balance_s + rank.scheduling_s + rank.too_few_s, most_s = threads * rank.loops_s;
    if (losses_s > most_s)
        for (double* const part : {&rank.balance_s, &rank.scheduling_s, &rank.too_few_s}) *part *= most_s / losses_s;
}

Rank rank_of(const RunRecord& record, std::uint32_t threads) {
    Rank rank{.window_s = record.waiting->window_s,
              .outside_s = std::max(0.0, record.waiting->window_s - record.waiting->mpi_s),
              .waiting_s = std::min(record.waiting->waiting_s, record.waiting->mpi_s)};
    for (const LoopSummary& loop : record.loops) {
        if (loop.over_ranks) continue;
        add_loop(loop, threads, rank);
        rank.borrowed_s += loop.borrowed_s;
    }
    bound(threads, rank);
    return rank;
}

/// Cores of ranks that waited worked for others: what would have been lost is useful.
void count_lent_cores(double lent_s, Efficiency& sum) noexcept {
    for (double* const loss : {&sum.ranks_balance_s, &sum.serialisation_s}) {
        const double saved_s = std::min(lent_s, *loss);
        *loss -= saved_s;
        sum.useful_s += saved_s;
        lent_s -= saved_s;
    }
}

Efficiency sum_of(const std::map<int, Rank>& ranks, std::uint32_t threads) {
    Efficiency sum{.ranks = static_cast<std::uint32_t>(ranks.size()), .threads = threads};
    double longest_s = 0, all_s = 0, without_transfer_s = 0, lent_s = 0;
    for (const auto& [number, rank] : ranks) {
        sum.wall_s = std::max(sum.wall_s, rank.window_s);
        longest_s = std::max(longest_s, rank.outside_s);
        all_s += rank.outside_s;
        without_transfer_s = std::max(without_transfer_s, rank.outside_s + rank.waiting_s);
        lent_s += rank.borrowed_s;
        sum.threads_balance_s += rank.balance_s;
        sum.scheduling_s += rank.scheduling_s;
        sum.serial_s += rank.too_few_s + (threads - 1) * (rank.outside_s - rank.loops_s);
    }
    const double cores = sum.ranks * sum.threads;
    sum.ranks_balance_s = cores * longest_s - threads * all_s;
    sum.serialisation_s = cores * (without_transfer_s - longest_s);
    sum.transfer_s = cores * (sum.wall_s - without_transfer_s);
    sum.useful_s = threads * all_s - sum.threads_balance_s - sum.scheduling_s - sum.serial_s;
    count_lent_cores(lent_s, sum);
    return sum;
}

}  // namespace

// Each factor is what is left after its loss over what there was before it, so that they multiply.
double Efficiency::load_balance() const noexcept {
    return ratio(outside_mpi_s(), outside_mpi_s() + ranks_balance_s);
}

double Efficiency::serialisation() const noexcept {
    const double longest_s = outside_mpi_s() + ranks_balance_s;
    return ratio(longest_s, longest_s + serialisation_s);
}

double Efficiency::transfer() const noexcept {
    return ratio(all_s() - transfer_s, all_s());
}

double Efficiency::serial() const noexcept {
    return ratio(outside_mpi_s() - serial_s, outside_mpi_s());
}

double Efficiency::scheduling() const noexcept {
    return ratio(useful_s + threads_balance_s, useful_s + threads_balance_s + scheduling_s);
}

double Efficiency::threads_balance() const noexcept {
    return ratio(useful_s, useful_s + threads_balance_s);
}

std::optional<Efficiency> efficiency(std::span<const RunRecord> records) {
    std::uint32_t threads = 1;
    int all = 1;
    for (const RunRecord& record : records) {
        all = std::max({all, record.ranks, record.rank + 1});
        for (const LoopSummary& loop : record.loops)
            if (!loop.over_ranks && record.waiting) threads = std::max(threads, loop.workers);
    }
    std::map<int, Rank> ranks;
    for (const RunRecord& record : records)
        if (record.waiting && record.waiting->window_s > 0) ranks[record.rank] = rank_of(record, threads);
    if (all < 2 || ranks.size() != static_cast<std::size_t>(all)) return std::nullopt;
    return sum_of(ranks, threads);
}

std::vector<WaitingPath> waiting_places(std::span<const RunRecord> records) {
    std::map<std::pair<std::string, std::string>, WaitingPath> sums;
    std::map<std::pair<std::string, std::string>, std::map<int, std::uint64_t>> lasts;
    for (const RunRecord& record : records) {
        if (!record.waiting) continue;
        for (const WaitingPath& path : record.waiting->paths) {
            WaitingPath& sum = sums[{path.call, path.name}];
            sum.call = path.call;
            sum.name = path.name;
            sum.calls += path.calls;
            sum.time_s += path.time_s;
            sum.waiting_s += path.waiting_s;
            sum.exact_calls += path.exact_calls;
            sum.seen_calls += path.seen_calls;
            sum.last_calls += path.last_calls;
            // Every rank that has seen an arrival tells of it.
            if (path.last_rank >= 0) lasts[{path.call, path.name}][path.last_rank] += path.by_that_rank;
        }
    }
    std::vector<WaitingPath> places;
    for (auto& [key, sum] : sums) {
        for (const auto& [rank, often] : lasts[key])
            if (often > sum.by_that_rank) {
                sum.by_that_rank = often;
                sum.last_rank = rank;
            }
        places.push_back(std::move(sum));
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const WaitingPath& a, const WaitingPath& b) { return a.waiting_s > b.waiting_s; });
    return places;
}

}  // namespace gimbal
