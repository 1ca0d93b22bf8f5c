// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/metrics.hpp"

#include <array>

namespace gimbal {

namespace {

// L: the workers' times in one execution of a loop; sums run over executions, and over ranks in a merged report.
constexpr std::array<Metric, 17> kMetrics = {{
    {"calls", "count", "executions of the loop", "of threads summed over ranks"},
    {"iterations", "iterations", "sum of trip counts", "over all executions and ranks"},
    {"time_s", "s", "sum(last finish - first begin)", "wall time inside the loop, barrier not included"},
    {"imbalance", "1", "sum(max(L)) / sum(mean(L)) - 1", "how much longer the slowest worker took than the mean"},
    {"lost", "1", "1 - sum(mean(L)) / sum(max(L))", "part of the workers' time that was spent waiting"},
    {"sched.ovh", "1", "scheduling_s / time_s", "part of the loop time that went into drawing chunks"},
    {"scheduling_s", "s", "chunks / workers * dispatch_ns * 1e-9",
     "estimated: dispatch is calibrated once, not timed per chunk"},
    {"opening_s, closing_s", "s", "sum; after 17 executions from every 17th",
     "choosing and planning before the loop; learning and sums after it, by who comes first and leaves last"},
    {"perfect balance saves", "s", "sum(max(L) - mean(L)) / ranks",
     "what equal times of all threads would save, mean over ranks; of ranks: / 1"},
    {"exploring", "1", "exploring_calls / calls", "part of the executions that a selector spent on learning"},
    {"exploring cost", "s", "max(0, sum(T exploring) - exploring_calls * mean(T of the main choice))",
     "what learning took longer than the schedule that ran most without exploring"},
    {"best other", "1", "T / mean(T of the main choice) - 1",
     "the next best choice: by the selector's model (predicted), or the fastest with three or more calls"},
    {"rank balance", "1", "mean / max over ranks of sum(time_s)",
     "1 if all ranks spend the same time in loops, those over ranks included"},
    {"stolen", "items", "sum over ranks", "items of other ranks that ranks ran, of all items that were run"},
    {"attempts", "count", "successes of attempts", "requests for items, and those of them that brought some"},
    {"moved", "bytes", "bytes_in = bytes_out", "items and results between ranks; of one rank received and sent"},
    {"wall_s", "s", "exit - load", "life of the process as Gimbal saw it; the largest over ranks"},
}};

}  // namespace

std::span<const Metric> metrics() noexcept {
    return kMetrics;
}

}  // namespace gimbal
