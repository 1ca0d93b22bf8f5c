// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/efficiency.hpp"
#include "report/run_record.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gimbal {

/// Records sorted by the run that they are of: one start of a program, on one rank or many.
struct SortedRecords {
    std::vector<std::vector<std::size_t>> runs;                 ///< indices; runs and indices in the order given
    std::vector<std::pair<std::size_t, std::size_t>> repeated;  ///< a record of a process that another tells of; which
};

/// Tell runs apart that a pattern of file names brings together. Records are of one run if the launcher says so, or the
/// job, the number of ranks and the program are the same and they ran at the same time; and a run has every rank once.
/// Children of fork(), which began when their parents did, belong to them. Of several records of one process that of
/// the longest time counts. docs/decisions/0019-job-identity.md says why.
/// @errors std::bad_alloc  @threads any  @cost O(records * (records + log records))
[[nodiscard]] SortedRecords sort_by_run(std::span<const RunRecord> records);

/// "job 81234, started 2026-01-31 12:00:00 UTC, 2 ranks, ./app input", for headings.
/// @param records  of one run, at least one
[[nodiscard]] std::string run_title(std::span<const RunRecord> records);

/// What makes loops of several records the same.
struct LoopKey {
    std::string name;
    std::uint32_t workers;  ///< of comparisons between runs, where team sizes may differ: 0 for any
    bool over_ranks, steals;
    auto operator<=>(const LoopKey&) const = default;
};
/// @errors std::bad_alloc
[[nodiscard]] LoopKey key_of(const LoopSummary& loop);

/// Smallest, mean and largest of one figure over ranks.
struct OverRanks {
    double min = 0, mean = 0, max = 0;
};
using ByRank = std::map<int, double>;
/// @param ranks  in all; those without a value count as 0
[[nodiscard]] OverRanks over_ranks(const ByRank& values, std::uint32_t ranks);

/// Executions of a loop, as one rank sees them. [count]
struct RankCalls {
    std::uint64_t all = 0, untimed = 0;
};

/// One loop over all ranks.
struct MergedLoop {
    /// Everything added up over records. Of threads per_worker is empty. A loop over ranks has calls as a rank sees
    /// them, and one loop time: with steals that of the slowest rank, and busy times likewise.
    LoopSummary sum;
    /// Loop time of each rank [s]; a rank that never ran a loop of threads counts as 0. A loop over ranks has one, that
    /// of all ranks, unless it is stolen from: how its ranks differ is in imbalance() and lost().
    OverRanks time_s;
    RankCalls calls;          ///< of the rank that took longest in it: time_s.max is of those that were timed
    std::uint32_t ranks = 0;  ///< ranks whose records have it [count]
    bool ranks_timed = true;  ///< false: a rank left most of its calls to libomp, so that times of ranks do not compare
    /// Its time over the part of it that fits into the lives of its ranks. More than 1: executions ran at the same
    /// time, in several teams or groups of ranks, or in one whose threads are in different executions (nowait).
    double overlap = 1;

    /// Whether the figures over workers are of all of them: of stealing each rank's record has its own.
    [[nodiscard]] bool knows_all_workers() const noexcept;
    /// Ranks that steal tell of all executions together: who was slow in one and who in another cancel out.
    [[nodiscard]] bool knows_imbalance() const noexcept;
    /// max/mean - 1 over workers, from the sums over executions and ranks; 0 if nothing was measured.
    [[nodiscard]] double imbalance() const noexcept;
    /// What follows is a part of loop time, mean over workers. Waiting for the last one to finish.
    [[nodiscard]] double lost() const noexcept;
    /// Not there yet when the first one had begun.
    [[nodiscard]] double late() const noexcept;
    /// Opening and closing, as a part of the loop time with them: they come on top of it.
    [[nodiscard]] double entry_exit() const noexcept;
    /// Time in dispatch as a part of loop time.
    [[nodiscard]] double scheduling_overhead() const noexcept;
};

/// The records of one job as one view.
struct MergedRun {
    std::vector<MergedLoop> loops;  ///< largest time first
    std::uint32_t ranks_seen = 0;   ///< ranks that wrote a record [count]
    std::uint32_t ranks = 1;        ///< ranks of the job [count]
    bool alone = false;             ///< these are processes that know nothing of each other
    bool unseen_mpi = false;        ///< what watches MPI was there, and the program's calls went past it
    std::uint32_t threads = 0;      ///< largest team of threads; 0: no loop had one [count]
    OverRanks wall_s;               ///< in which any process of a rank lived [s]
    double lives_s = 0;       ///< of all processes of a rank that ran loops, its wall_s at least; mean over ranks [s]
    double rank_balance = 1;  ///< mean/max over ranks of the time in all loops, of both levels; 1: perfect. Calls that
                              ///< were left to libomp count as much as the loop's others
    bool ranks_timed = true;  ///< false: those calls are, or may be, most of the time in loops of some rank
    bool ranks_known = true;  ///< false: rank_balance lacks loops over ranks, of which nobody knows what each rank
                              ///< took: groups of ranks ran them, or records have no figures of single workers
    double dispatch_ns = 0;   ///< mean over records [ns]
    std::uint64_t cores_lent = 0;             ///< in all [count]
    bool placed = false;                      ///< threads were placed, or looked at for it (--pin)
    std::uint64_t regions_with_numbers = 0;   ///< of the rank with most [count]
    std::vector<std::string> warnings;        ///< each once
    std::optional<Efficiency> efficiency;     ///< nothing: waiting in MPI was not measured in all ranks
    std::vector<WaitingPath> waiting_places;  ///< where ranks wait, those with the longest waiting first
    bool elastic = false;                     ///< ranks that wait lend their cores
    bool elastic_in_vain = false;             ///< some do not, though it was asked for: a warning says why
    bool keeps = false;                       ///< what is learnt is kept for the next run
    std::string program_schedule;             ///< of omp_set_schedule(), where no rule takes loops all the same
};

/// @param records  at least one, of one job; several of one rank add up: those of its children
/// @errors std::bad_alloc  @threads any  @cost O(records * loops * log loops)
[[nodiscard]] MergedRun merge(std::span<const RunRecord> records);

}  // namespace gimbal
