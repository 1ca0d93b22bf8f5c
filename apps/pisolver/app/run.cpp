// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/clock.hpp"
#include "common/mpi_program.hpp"
#include "step.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

namespace pisolver {

namespace {

Step make_step(const Options& options, Range own, WorkView work) {
    const Iteration iteration(options.ns_per_step);
    if (options.schedule == "static") {
        const auto part = options.distributed ? work : work.subspan(static_cast<std::size_t>(own.first));
        return static_step(own, part, iteration);
    }
    if (options.distributed) return steal_step(own, work, iteration);
    return loop_step(work, iteration, options.schedule == "loop" ? "" : options.schedule);
}

/// MPI's own waiting keeps a core busy, on which a rank may want to wake up.
void wait_asleep() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int all = 0; !all;) {
        MPI_Test(&request, &all, MPI_STATUS_IGNORE);
        if (!all) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

/// What a time step of a real program ends with: all ranks agree on its result. Here also on whether it is right.
/// @return what is wrong; empty: nothing
std::string agree(const Options& options, Tally& tally, Result& result) {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    if (!options.distributed) {  // every rank has seen a part of all iterations
        MPI_Allreduce(MPI_IN_PLACE, tally.done().data(), static_cast<int>(tally.done().size()), MPI_INT, MPI_SUM,
                      MPI_COMM_WORLD);
    }
    const std::int64_t wrong = first_not_once(tally.done());
    std::int64_t first_wrong = wrong < 0 ? kNone : tally.range().first + wrong;
    std::uint64_t checksum = tally.checksum();
    double error = tally.max_error();
    MPI_Allreduce(MPI_IN_PLACE, &first_wrong, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &checksum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    result.checksum += checksum;
    result.max_error = std::max(result.max_error, error);
    if (first_wrong != kNone) return "iteration " + std::to_string(first_wrong) + " was not run exactly once";
    if (error > largest_error(smallest_work(options.work))) return "a result is " + std::to_string(error) + " off pi";
    return {};
}

void reduce_over_ranks(Result& result) {
    result.wall_mean.times_s.resize(result.wall_max.times_s.size());
    result.busy_mean.times_s.resize(result.busy_max.times_s.size());
    apps::largest_and_mean(result.wall_max.times_s, result.wall_mean.times_s);
    apps::largest_and_mean(result.busy_max.times_s, result.busy_mean.times_s);
    StepRecord& sums = result.sums;
    for (std::int64_t* const count : {&sums.chunks, &sums.attempts, &sums.steals, &sums.stolen, &sums.bytes})
        MPI_Allreduce(MPI_IN_PLACE, count, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

}  // namespace

Result run(const Options& options, int rank, int ranks) {
    const Range own = block_range(options.work.iterations, ranks, rank);
    const Range held = options.distributed ? own : Range{0, options.work.iterations};
    const std::vector<std::int64_t> work = make_work(options.work, held);
    const Step step = make_step(options, own, work);
    Tally tally(held);
    Result result;
    for (std::int64_t k = -options.warm_up; k < options.steps && result.fault.empty(); ++k) {
        if (k == 0) result = Result{};
        tally.clear();
        const double busy_before_s = result.sums.busy_s;
        result.wall_max.times_s.push_back(apps::seconds_of([&] { step(tally, result.sums); }));
        result.busy_max.times_s.push_back(result.sums.busy_s - busy_before_s);
        if (options.ns_per_step > 0.0) wait_asleep();
        result.fault = agree(options, tally, result);
        if (!result.fault.empty()) result.fault = "step " + std::to_string(k) + ": " + result.fault;
    }
    reduce_over_ranks(result);
    return result;
}

}  // namespace pisolver
