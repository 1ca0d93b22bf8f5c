// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// far_ahead CASE [FILE]: ranks of one loop that are many executions apart.
//   message   rank 0 is AHEAD executions ahead of the last rank, which waits for its message
//   leaked    the last rank leaks a loop that it has drawn to the end, at every execution
//   too-far   rank 0 goes on until there is no room; it says so, and for whom it waits; FILE appears when that was read
//   held      the same where the last rank is inside of all these executions and leaves none
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/mpi.h"

namespace {

using gimbal::mpi::Loop;

constexpr int kAhead = 14;    // more than four, and what the manual promises for many ranks
constexpr int kTooFar = 200;  // more than there is room for
constexpr std::int64_t kIterations = 64;

int g_rank = 0, g_size = 1;

std::int64_t run_one() {
    std::int64_t mine = 0;
    Loop loop(MPI_COMM_WORLD, "ahead", kIterations, {.schedule = "gss"});
    for (const auto chunk : loop) mine += chunk.size();
    return mine;
}

void await_message() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    for (int done = 0; !done; sched_yield()) {
        gimbal_mpi_progress();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

void await_file(const char* file) {
    while (!std::filesystem::exists(file)) {
        gimbal_mpi_progress();
        usleep(2000);
    }
}

// Every rank but the last runs them without the last one.
std::int64_t run_ahead(int executions) {
    std::int64_t mine = 0;
    for (int i = 0; i < executions; ++i) mine += run_one();
    if (g_rank == 0) MPI_Send(nullptr, 0, MPI_INT, g_size - 1, 0, MPI_COMM_WORLD);
    return mine;
}

std::int64_t be_behind(const std::string& which, int executions, const char* file) {
    std::int64_t mine = 0;
    if (which == "message") await_message();
    if (which == "too-far") await_file(file);
    std::vector<std::unique_ptr<Loop>> held;
    if (which == "held") {
        // Nothing says how many there is room for: it stops where the others do.
        for (int i = 0; i < 10; ++i) {
            held.push_back(std::make_unique<Loop>(MPI_COMM_WORLD, "ahead", kIterations,
                                                  gimbal::mpi::LoopOptions{.schedule = "gss"}));
        }
        await_file(file);
        for (auto& loop : held)
            for (const auto chunk : *loop) mine += chunk.size();
        executions -= static_cast<int>(held.size());
        held.clear();
    }
    for (int i = 0; i < executions; ++i) {
        if (which != "leaked") {
            mine += run_one();
            continue;
        }
        static auto& leaked = *new std::vector<Loop*>;  // known to the end: no leaks to a sanitizer
        auto* const loop = leaked.emplace_back(
            new Loop(MPI_COMM_WORLD, "ahead", kIterations, gimbal::mpi::LoopOptions{.schedule = "gss"}));
        for (const auto chunk : *loop) mine += chunk.size();
    }
    if (which != "message") await_message();
    return mine;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
    const std::string which = argc > 1 ? argv[1] : "message";
    const char* const file = argc > 2 ? argv[2] : "";
    const int executions = which == "message" ? kAhead : kTooFar;
    std::int64_t mine = run_one(), all = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    mine += g_rank == g_size - 1 ? be_behind(which, executions, file) : run_ahead(executions);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const bool good = all == (executions + 1) * kIterations;
    if (!good && g_rank == 0) std::printf("FAILED: %lld iterations\n", static_cast<long long>(all));
    MPI_Finalize();
    if (good && g_rank == 0) std::printf("went on to the end\n");
    return good ? 0 : 1;
}
