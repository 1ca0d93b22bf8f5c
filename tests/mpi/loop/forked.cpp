// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child of the rank that hands out chunks is no rank: its own loops of threads do not call MPI.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>

#include "gimbal/loop.h"
#include "gimbal/mpi/loop.hpp"

namespace {

int g_looks = 0;  // for messages, by this process

/// A loop of this thread, whose chunks take longer than a message may wait.
void run_loop() {
    static const char kPlace = 0;
    gimbal_loop_desc desc{};
    desc.code = &kPlace;
    desc.trip = 20;
    desc.unit = 1;
    desc.workers = 1;
    desc.schedule = gimbal_schedule_parse("ss");
    void* const execution = gimbal_loop_open(&desc);
    gimbal_share share{};
    gimbal_loop_begin(execution, 0, &share);
    std::uint64_t first = 0, end = 0;
    while (gimbal_loop_next(&share, &first, &end)) {
        const timespec chunk{.tv_sec = 0, .tv_nsec = 1'000'000};
        nanosleep(&chunk, nullptr);
    }
    gimbal_loop_end(&share);
}

}  // namespace

// Before MPI's own, in this program and in libgimbal_mpi.
extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    ++g_looks;
    return PMPI_Iprobe(source, tag, comm, flag, status);
}

int main(int argc, char** argv) {
    int rank = 0, right = 1, all_right = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    {
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "before the fork", 100, {.schedule = "ss"});
        while (loop.next()) {
        }
    }
    if (rank == 0) {
        g_looks = 0;
        run_loop();
        if (g_looks == 0) std::printf("FAILED: the rank itself does not look for messages in its loops\n");
        right = g_looks > 0;
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            g_looks = 0;
            run_loop();
            _exit(g_looks == 0 ? 0 : 1);
        }
        int status = 0;
        const bool ended = child > 0 && waitpid(child, &status, 0) == child;
        if (!ended || status != 0) std::printf("FAILED: the child looks for messages in its loops\n");
        right &= ended && status == 0;
        // The rank goes on as before.
        g_looks = 0;
        run_loop();
        right &= g_looks > 0;
    }
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return all_right ? 0 : 1;
}
