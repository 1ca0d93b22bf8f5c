/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   A program as it is, and with a tool of its own inside (OWN_INIT), whose MPI_Init nobody else sees. */
#include "ranks.h"

#ifdef OWN_INIT
int MPI_Init(int* count, char*** words) {
    return PMPI_Init(count, words);
}
#endif

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
    for (int step = 0; step < 20; ++step) {
        int sum = 0, got = -1;
        if (g_rank == 0) compute(1);
        MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(sum == step * g_size, "Allreduce");
        MPI_Sendrecv(&step, 1, MPI_INT, (g_rank + 1) % g_size, 1, &got, 1, MPI_INT, (g_rank + g_size - 1) % g_size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(got == step, "Sendrecv");
    }
    printf("rank %d of %d: begin right\n", g_rank, g_size);
    MPI_Finalize();
    return 0;
}
