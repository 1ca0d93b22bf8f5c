// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks 1 and 2 wait for each other many times while rank 0, which hands out chunks, looks at no messages: they tell it
// once that they wait, not each time. When it looks again, it hears where they wait then.
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "gimbal/mpi/loop.hpp"

namespace {

int g_sent = 0;  // messages to rank 0 of communicators of all ranks

void count(int to, MPI_Comm comm) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    g_sent += to == 0 && ranks == 3;
}

std::int64_t run(MPI_Comm comm, const std::string& name) {
    std::int64_t ran = 0;
    gimbal::mpi::Loop loop(comm, name, 100, {.schedule = "ss"});
    while (const auto chunk = loop.next()) ran += chunk.size();
    return ran;
}

}  // namespace

// Before MPI's own, in this program and in libgimbal_mpi.
extern "C" int MPI_Isend(const void* data, int size, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
    count(to, comm);
    return PMPI_Isend(data, size, type, to, tag, comm, request);
}
extern "C" int MPI_Issend(const void* data, int size, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request* request) {
    count(to, comm);
    return PMPI_Issend(data, size, type, to, tag, comm, request);
}

int main(int argc, char** argv) {
    constexpr int kWaits = 20;
    constexpr int kPair = 2;  // absent, here
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &pair);
    std::int64_t mine = run(MPI_COMM_WORLD, "handed out"), all = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    g_sent = 0;
    for (int k = 0; rank > 0 && k < kWaits; ++k) {
        if (rank == 1 + k % 2) usleep(5'000);
        run(pair, "loop " + std::to_string(k));
    }
    int good = g_sent <= kPair ? 1 : 0, all_good = 0;
    if (!good) std::printf("FAILED: rank %d has sent %d messages to a rank that does not look\n", rank, g_sent);
    MPI_Barrier(MPI_COMM_WORLD);
    {
        // Rank 0 leaves before the others draw. They wait for it elsewhere, and it hands out all that is left then.
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "handed out", 1000, {.schedule = "ss"});
        if (rank == 0) loop.leave();
        mine += run(MPI_COMM_WORLD, "another");
        while (rank > 0) {
            const auto chunk = loop.next();
            if (!chunk) break;
            mine += chunk.size();
        }
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all != 1200 && rank == 0) std::printf("FAILED: %lld of 1200 iterations\n", static_cast<long long>(all));
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank > 0) MPI_Comm_free(&pair);
    MPI_Finalize();
    return all_good && all == 1200 ? 0 : 1;
}
