// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a rank have loops on communicators of their own, and make and free these all the time: every iteration
// runs once.
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

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

void work(MPI_Comm base, int thread, std::atomic<int>& wrong) {
    try {
        for (int round = 0; round < 5; ++round) {
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_dup(base, &comm);
            for (int k = 0; k < 4; ++k)
                if (!run_loop(comm, 500 + thread)) ++wrong;
            MPI_Comm_free(&comm);
        }
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        MPI_Finalize();
        return kSkipped;
    }
    std::array<MPI_Comm, kThreads> bases{};
    for (MPI_Comm& base : bases) MPI_Comm_dup(MPI_COMM_WORLD, &base);
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] { work(bases[static_cast<std::size_t>(thread)], thread, wrong); });
    threads.clear();
    for (MPI_Comm& base : bases) MPI_Comm_free(&base);
    MPI_Finalize();
    if (wrong > 0) std::printf("FAILED: %d loops\n", wrong.load());
    return wrong > 0 ? 1 : 0;
}
