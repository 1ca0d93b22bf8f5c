// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gimbal {

/// Which schedule ran for a loop, how often, and why.
struct ScheduleUse {
    std::string schedule;                     ///< e.g. "fac2", "static,16"
    std::string reason;                       ///< e.g. "GIMBAL_SCHEDULE", "OMP_SCHEDULE", "default"
    std::uint64_t calls = 0;                  ///< executions of the loop under it [count]
    double time_s = 0;                        ///< sum of their loop times [s]
    bool exploring = false;                   ///< they ran to learn, not because they were believed to be the best
    bool timed = true;                        ///< false: libomp ran them by itself, their time is not known
    double median_s = 0;                      ///< median loop time of the last 15 of them; 0: not known [s]
    std::uint64_t shortest = 0, longest = 0;  ///< smallest and largest N among them; 0: not known [iterations]
    double median_error_s = -1;               ///< standard error of median_s; < 0: not known [s]
};

/// The best that could have run instead of what ran most.
struct AlternativeUse {
    std::string schedule;     ///< empty: none is known
    double call_s = 0;        ///< mean loop time of an execution under it [s]
    double ratio = 0;         ///< of loop times, to the main choice's, both of one process; > 1: it is slower
    bool predicted = false;   ///< by the selector's model; false: measured
    std::uint64_t calls = 0;  ///< that it was measured in; 0: it was not, or that is not known [count]
    double error = -1;        ///< standard error of ratio; < 0: not known
};

/// One thread's sums over all executions of a loop.
struct WorkerTotals {
    double busy_s = 0;             ///< time in the loop [s]
    std::uint64_t iterations = 0;  ///< [iterations]
    std::uint64_t chunks = 0;      ///< [count]
};

/// The worker that got through its work at the least rate, where that is much less than the others'.
struct SlowWorker {
    std::uint32_t worker = 0;      ///< thread or rank
    int rank = 0;                  ///< of the thread; in merged reports
    double rate = 0;               ///< relative to the median worker, in (0, 1)
    int processor = -1;            ///< where it ran, by the operating system's number; < 0: not known, or several
    bool by_instructions = false;  ///< work is instructions; else what the same iterations cost other workers
};

/// What work stealing did in a loop over distributed data. Sums over executions.
struct StealFigures {
    std::uint64_t own = 0;        ///< own items run here [items]
    std::uint64_t stolen = 0;     ///< items of others run here [items]
    std::uint64_t given = 0;      ///< own items run elsewhere [items]
    std::uint64_t attempts = 0;   ///< requests made as a thief [count]
    std::uint64_t successes = 0;  ///< of them that brought items [count]
    std::uint64_t bytes_in = 0;   ///< received items and results [bytes]
    std::uint64_t bytes_out = 0;  ///< sent items and results [bytes]
    double waiting_s = 0;         ///< for items, results or the end [s]
    double ratio = 0;             ///< steal ratio of the last execution; 0: a fair share
};

/// One loop of one process, for one team size, over the whole run. Sums over executions. A loop whose workers are ranks
/// stands in the record of one process, which knows all of them; but work stealing in that of every rank, with what
/// this rank did.
struct LoopSummary {
    std::string name;              ///< "file:line function", "module symbol+0x12", or empty until resolved
    std::string template_name;     ///< of an instance of a template: what compilers call all of them; empty: its name
    std::string name_in_steps;     ///< SiteIdentity::key(), what recorded steps call it; empty: its name
    std::string module;            ///< path of the object that holds the loop; empty: not known, and the name is final
    std::uint64_t offset = 0;      ///< an address within the loop's own code, from where the object is loaded [bytes]
    std::uint64_t function = 0;    ///< where its function begins there, if it has a name [bytes]; 0: not known
    std::uint64_t build = 0;       ///< of that object when it ran (kept/build.hpp); 0: not known
    std::uint32_t workers = 0;     ///< P, team size [count]
    bool over_ranks = false;       ///< the workers are ranks; false: threads
    std::uint64_t calls = 0;       ///< executions [count]
    std::uint64_t iterations = 0;  ///< over all executions [iterations]
    std::uint64_t chunks = 0;      ///< over all executions [count]
    double time_s = 0;             ///< sum of loop times (last finish minus first begin) [s]
    double passed_s = 0;           ///< while any of them ran: those at the same time count once; 0: not known [s]
    double busy_max_s = 0;         ///< sum over executions of max(L) [s]
    double busy_mean_s = 0;        ///< sum over executions of mean(L) [s]
    double late_s = 0;             ///< sum over executions of the mean of begin minus first begin [s]
    double borrowed_s = 0;         ///< cores that other ranks lent worked in it, not in the times above [core s]
    double scheduling_s = 0;       ///< estimated time in dispatch, one worker's mean; at most busy_mean_s [s]
    std::uint64_t fallbacks = 0;   ///< executions that fell back to a plain schedule [count]
    double static_fraction = -1;   ///< f_s of the last execution, in [0, 1]; < 0: its technique had none
    std::string tuning;          ///< what was done to find it: "settled", "search", ...; empty: it was not searched for
    std::string tuned_schedule;  ///< that of the last execution, which the two above are of; empty: not known
    std::string earlier_run;     ///< what an earlier run had learnt: "used" or "dropped"; empty: nothing was known
    std::vector<ScheduleUse> schedules;
    std::uint64_t exploring_calls = 0;        ///< executions that ran to learn [count]
    double opening_s = 0;                     ///< choosing and planning before executions, mostly from every 17th [s]
    double closing_s = 0;                     ///< learning and sums after them, likewise [s]
    std::uint64_t untimed_calls = 0;          ///< of `calls`: run by libomp alone, not in any time [count]
    std::uint64_t untimed_iterations = 0;     ///< of `iterations`: in those [iterations]
    std::uint64_t shortest = 0, longest = 0;  ///< smallest and largest N of a timed one; 0: not known [iterations]
    double exploring_cost_s = 0;              ///< what they took longer than the main choice (report/choices.hpp) [s]
    AlternativeUse alternative;               ///< what else could have run
    std::vector<WorkerTotals> per_worker;     ///< [workers]; with steals: [1], this rank
    std::optional<SlowWorker> slow;           ///< nothing: all work alike, or it is not known
    std::optional<StealFigures> steals;       ///< of work stealing; iterations are items then
};

/// A loop that threads were in when the record was written. No figure of the record includes that execution.
struct UnfinishedLoop {
    std::string name;            ///< as of a loop: "file:line function"; empty until resolved
    std::string template_name;   ///< as of a loop
    std::string module;          ///< path of the object that holds the loop; empty: not known, and the name is final
    std::uint64_t offset = 0;    ///< of the loop's code in it [bytes]
    std::uint64_t function = 0;  ///< where its function begins there, if it has a name [bytes]; 0: not known
    std::uint64_t build = 0;     ///< of that object when it ran (kept/build.hpp); 0: not known
    std::uint32_t workers = 0;   ///< P, team size [count]
    bool over_ranks = false;     ///< the workers are ranks; false: threads
    double time_s = 0;           ///< since the first of the threads that had not left came [s]
};

/// One place in the program where a rank waits in MPI. Sums over calls.
struct WaitingPath {
    std::string call;                ///< "MPI_Allreduce"
    std::string name;                ///< as of a loop: "file:line function"; empty until resolved
    std::string module;              ///< path of the object that calls; empty: the name is final
    std::uint64_t offset = 0;        ///< of the call in it [bytes]
    std::uint64_t calls = 0;         ///< [count]
    double time_s = 0;               ///< in the call [s]
    double waiting_s = 0;            ///< of it, for other ranks [s]
    double predicted_s = 0;          ///< slack to be expected at the next call; 0: not to be trusted [s]
    std::uint64_t exact_calls = 0;   ///< of `calls`: whose waiting is known from when the others arrived [count]
    std::uint64_t seen_calls = 0;    ///< of `calls`: where the last to arrive is known [count]
    std::uint64_t last_calls = 0;    ///< of those: this rank was the last [count]
    int last_rank = -1;              ///< who was last most often; < 0: not known
    std::uint64_t by_that_rank = 0;  ///< how often [count]
};

/// Where a rank waits in MPI (gimbal/rank_waiting.h).
struct WaitingRecord {
    double window_s = 0;             ///< from MPI_Init to MPI_Finalize, or to now [s]
    double mpi_s = 0;                ///< in calls that may wait [s]
    double waiting_s = 0;            ///< of it, for other ranks; the rest is transfer [s]
    double asleep_s = 0;             ///< of it, asleep with the cores lent [s]
    std::uint64_t calls = 0;         ///< [count]
    std::uint64_t sleeps = 0;        ///< [count]
    std::vector<WaitingPath> paths;  ///< those with the longest time first
};

/// What a process has asked of its OpenMP runtime (gimbal/openmp_use.h), the most of it.
enum class OpenmpUse { unknown, nothing, asked, regions, dynamic_loops, runtime_loops };

/// What of MPI there is in a process that a launcher started beside others.
enum class MpiHere {
    unknown,
    none,
    unwatched,  ///< an MPI, and nothing that would see what it is asked for
    watched     ///< an MPI, and the library that stands before it
};

/// Everything one process has to say at its end; what GIMBAL_OUTPUT holds as JSON.
struct RunRecord {
    int schema_version = 1;
    std::string gimbal_version;
    std::string program;  ///< command line, blanks between words
    std::string host;     ///< of host_name()
    std::string job;      ///< job identifier of the batch system, or the process id
    std::string launch;   ///< what tells one start of a parallel program from the next in a job; empty: not known
    std::string openmp;   ///< path of the OpenMP runtime that ran; empty if none was seen
    OpenmpUse openmp_use = OpenmpUse::unknown;  ///< what that runtime was asked for
    int pid = 0;
    int rank = 0;                    ///< 0 without MPI
    int ranks = 1;                   ///< 1 without MPI
    bool forked = false;             ///< by a process that has files of the same names; not part of the file
    bool alone = false;              ///< each of the launcher's processes is an MPI job of its own
    MpiHere mpi = MpiHere::unknown;  ///< of one process alone it is not known
    double started_s = 0;            ///< since 1970-01-01 UTC, the same after fork(); 0: not known [s]
    double wall_s = 0;               ///< from load to exit, or to when this was written [s]
    double dispatch_ns = 0;          ///< calibrated cost of drawing one chunk on one thread [ns]
    std::uint64_t seed = 0;
    std::uint64_t cores_lent = 0;            ///< by threads that waited to threads that had none [count]
    std::uint64_t regions_with_numbers = 0;  ///< that other ranks' cores could not join for that [count]
    std::vector<Setting> options;            ///< those that are not at their default
    std::string program_schedule;  ///< what omp_set_schedule() asked for last, of OpenMP's own; empty: never called
    std::string cache;             ///< what is kept from run to run, in one word (kept/store.hpp)
    std::string no_loop_hint;      ///< why no loop ran, from who knows the program; not part of the file
    std::vector<std::string> warnings;       ///< missing capabilities, each said once
    std::vector<LoopSummary> loops;          ///< in order of total time, largest first
    std::vector<UnfinishedLoop> unfinished;  ///< in order of time, longest first; those of at least 1 % of wall_s
    std::optional<WaitingRecord> waiting;    ///< in MPI; nothing: not measured
    std::string partial;                     ///< how the process ended that wrote no record at its end; empty: it did
    std::string placement;                   ///< what libgimbal_pin.so has to say, as a JSON object; empty: nothing
    std::string placement_text;              ///< the same for people, lines with line feeds
};

/// A record as JSON, indented, with a final line feed. Units are in the keys; figures that are not finite become 0;
/// text that is not UTF-8 keeps what is. `imbalance`, `lost`, `work_s` and `waiting_s` of each loop are written for
/// readers, not read back.
/// @errors std::bad_alloc  @threads any  @cost O(size)
[[nodiscard]] std::string to_json(const RunRecord& record);

/// The record that to_json() wrote. Keys that this version does not know are ignored.
/// @errors gimbal::Error(file): not JSON, another schema_version, or a key that is missing or of another type
/// @threads any  @cost O(size)
[[nodiscard]] RunRecord from_json(std::string_view text);

/// Gimbal's version, e.g. "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// The part of a record that describes the process itself: version, program, host, job, process, rank, ranks, seed
/// and the options that are not at their default. Loops, times and the OpenMP runtime are the caller's.
/// @errors std::bad_alloc  @threads any  @cost reads /proc/self/cmdline
[[nodiscard]] RunRecord describe_process();

}  // namespace gimbal
