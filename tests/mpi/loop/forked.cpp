// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child of the rank that hands out chunks is no rank: its own loops of threads do not call MPI.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "looks.hpp"

int main(int argc, char** argv) {
    int rank = 0, right = 1, all_right = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    run_rank_loop("before the fork");
    if (rank == 0) {
        g_looks = 0;
        run_thread_loop();
        if (g_looks == 0) std::printf("FAILED: the rank itself does not look for messages in its loops\n");
        right = g_looks > 0;
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            g_looks = 0;
            run_thread_loop();
            _exit(g_looks == 0 ? 0 : 1);
        }
        int status = 0;
        const bool ended = child > 0 && waitpid(child, &status, 0) == child;
        if (!ended || status != 0) std::printf("FAILED: the child looks for messages in its loops\n");
        right &= ended && status == 0;
        // The rank goes on as before.
        g_looks = 0;
        run_thread_loop();
        right &= g_looks > 0;
    }
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return all_right ? 0 : 1;
}
