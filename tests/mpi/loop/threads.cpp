// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threads [unfreed]: threads of a rank have loops on communicators of their own, and make and free these all the time:
// every iteration runs once. When they have ended, short loops of one thread are left to OpenMP's runtime as if they
// had never been. With `unfreed` the communicators stay, and MPI ends: the ranks need not have made them in one order.
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "gimbal/loop.h"
#include "gimbal/mpi/loop.hpp"

namespace {

constexpr int kThreads = 4;
constexpr int kSkipped = 77;

/// @return whether all ranks together ran as many iterations as the loop has
bool run_loop(MPI_Comm comm, std::int64_t iterations) {
    std::int64_t mine = 0, all = 0;
    {
        gimbal::mpi::Loop loop(comm, "of a thread", iterations, {.schedule = "fac2"});
        while (const auto chunk = loop.next()) mine += chunk.size();
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm);
    return all == iterations;
}

void work(MPI_Comm base, int thread, bool frees, std::atomic<int>& wrong) {
    try {
        for (int round = 0; round < 5; ++round) {
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_dup(base, &comm);
            for (int k = 0; k < 4; ++k)
                if (!run_loop(comm, 500 + thread)) ++wrong;
            if (frees) MPI_Comm_free(&comm);
        }
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/// Whether a short loop of one thread is left to its caller, sooner or later.
bool is_left() {
    static const char kPlace = 0;
    gimbal_loop_desc desc{};
    desc.code = &kPlace;
    desc.trip = 10;
    desc.unit = 1;
    desc.workers = 1;
    desc.can_leave = 1;
    desc.schedule = gimbal_schedule_parse("gss");
    for (int k = 0; k < 10'000; ++k) {
        void* const execution = gimbal_loop_open(&desc);
        if (!execution) return true;
        gimbal_share share{};
        gimbal_loop_begin(execution, 0, &share);
        std::uint64_t first = 0, end = 0;
        while (gimbal_loop_next(&share, &first, &end)) {
        }
        gimbal_loop_end(&share);
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        MPI_Finalize();
        return kSkipped;
    }
    const bool frees = argc == 1 || std::strcmp(argv[1], "unfreed") != 0;
    std::array<MPI_Comm, kThreads> bases{};
    for (MPI_Comm& base : bases) MPI_Comm_dup(MPI_COMM_WORLD, &base);
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] { work(bases[static_cast<std::size_t>(thread)], thread, frees, wrong); });
    threads.clear();
    const bool left = !frees || is_left();
    if (!left) std::printf("FAILED: no loop is left to OpenMP's runtime\n");
    for (MPI_Comm& base : bases) MPI_Comm_free(&base);
    MPI_Finalize();
    if (wrong > 0) std::printf("FAILED: %d loops\n", wrong.load());
    return wrong > 0 || !left ? 1 : 0;
}
