// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/metrics.hpp"

#include <array>

namespace gimbal {

namespace {

// L: the workers' times in one execution of a loop; sums run over executions, and over ranks in a merged report.
constexpr std::array<Metric, 29> kMetrics = {{
    {"calls", "count", "executions of the loop", "of threads summed over ranks; untimed_calls of them are in no time"},
    {"iterations", "iterations", "sum of trip counts", "over all executions and ranks"},
    {"time_s", "s", "sum(last finish - first begin)",
     "time inside the loop, barrier not included; executions at the same time add up; over ranks one for all of them"},
    {"imbalance", "1", "sum(max(L)) / sum(mean(L)) - 1", "how much longer the slowest worker took than the mean"},
    {"late", "1", "late_s / time_s; late_s = sum(max(mean(begin), last begin - mean(L)) - first begin)",
     "part of the loop time before a worker came: it worked elsewhere or had to be woken up"},
    {"borrowed_s", "core s", "sum(time of surplus workers on cores that other ranks lent)",
     "work that is in no other time of the loop; --elastic"},
    {"lost", "1", "waiting_s / time_s; waiting_s = sum(mean(last finish - finish))",
     "part of the loop time that workers waited for the last one; 1 - mean(L) / max(L) if nobody came late"},
    {"in/out", "1", "(opening_s + closing_s) / (time_s + opening_s + closing_s)",
     "entry and exit, of the loop time and them"},
    {"work_s", "s", "sum(mean(L)) - scheduling_s",
     "time_s = work_s + scheduling_s + late_s + waiting_s, each the mean over workers"},
    {"sched.ovh", "1", "scheduling_s / time_s", "part of the loop time that went into drawing chunks"},
    {"scheduling_s", "s", "min(sum(draws) / workers * dispatch_ns * 1e-9, sum(mean(L)))",
     "estimated: dispatch is calibrated once; a chunk is 1 draw, or 5 where workers share what they draw from"},
    {"opening_s, closing_s", "s", "sum; after 17 executions from every 17th",
     "choosing and planning by the first worker to enter; learning, mostly by it, too, and sums"},
    {"perfect balance saves", "s", "waiting_s / ranks; over ranks sum(max(L) - mean(L))",
     "what it would save if all threads finished at once, mean over ranks"},
    {"exploring", "1", "exploring_calls / calls", "part of the executions that a selector spent on learning"},
    {"exploring cost", "s", "max(0, sum(T exploring) - exploring_calls * mean(T of the main choice))",
     "what learning took longer than the schedule that ran most without exploring"},
    {"best other", "1", "median(T) / median(T of the main choice) - 1, or what the selector believes",
     "the next best choice: by the selector's model (predicted), or measured in three or more calls"},
    {"rank balance", "1", "mean / max over ranks of sum(time_s), of loops over ranks of sum(L)",
     "1 if all ranks spend the same time in loops, those over ranks included"},
    {"stolen", "items", "sum over ranks", "items of other ranks that ranks ran, of all items that were run"},
    {"attempts", "count", "successes of attempts", "requests for items, and those of them that brought some"},
    {"moved", "bytes", "bytes_in = bytes_out", "items and results between ranks; of one rank received and sent"},
    {"parallel efficiency", "1", "MPI parallel efficiency * OpenMP parallel efficiency",
     "part of ranks * threads * wall that was useful, from MPI_Init to MPI_Finalize (POP, TALP)"},
    {"load balance (MPI)", "1", "mean / max over ranks of U; U = wall - time in MPI calls that may wait",
     "the rest: ranks compute less than the one that computes most"},
    {"serialisation (MPI)", "1", "max(U) / max(U + waiting)", "the rest: ranks wait for each other in turns"},
    {"transfer", "1", "max(U + waiting) / wall", "the rest: in MPI without waiting for another rank"},
    {"load balance (OpenMP)", "1", "useful / (useful + waiting in loops)", "threads wait at the end of Gimbal's loops"},
    {"scheduling (OpenMP)", "1", "1 - (chunks, late threads, entry and exit) / what is left without serialisation",
     "what it takes to share loops out"},
    {"serialisation (OpenMP)", "1", "1 - idle threads / (threads * U)",
     "outside of Gimbal's loops one thread is taken to compute, and the others to wait"},
    {"waiting (MPI)", "s", "arrival of the last rank that counts - own arrival; else time - 10th percentile of 64",
     "exact for collectives within a node, an estimate for messages, windows and between nodes; not known for files"},
    {"wall_s", "s", "exit - load", "life of the process as Gimbal saw it; the largest over ranks"},
}};

}  // namespace

std::span<const Metric> metrics() noexcept {
    return kMetrics;
}

}  // namespace gimbal
