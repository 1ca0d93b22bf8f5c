// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thinnest loop over simulated ranks: iterations of 1 ms, every one exactly once, and what time it took.
#include <mpi.h>
#include <smpi/smpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gimbal/mpi/loop.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char* const schedule = argc > 1 ? argv[1] : "fac2";
    const long n = 100L * size;
    std::vector<int> ran(static_cast<std::size_t>(n));
    for (int round = 0; round < 3; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        const double before = MPI_Wtime();
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "thin", n, {.schedule = schedule});
        const double entered = MPI_Wtime();
        while (const auto chunk = loop.next()) {
            for (auto i = chunk.first; i < chunk.end; ++i) ++ran[static_cast<std::size_t>(i)];
            smpi_execute_flops(1e6 * static_cast<double>(chunk.size()));
        }
        loop.leave();
        double took = MPI_Wtime() - begin, longest = 0;
        MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            std::printf("%s %s: %d ranks, %.6f s, ideal 0.1 s, entered after %.6f s\n", schedule,
                        std::string(loop.transport()).c_str(), size, longest, entered - before);
    }
    MPI_Allreduce(MPI_IN_PLACE, ran.data(), static_cast<int>(n), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int wrong = 0;
    for (const int count : ran) wrong += count != 3;
    MPI_Finalize();
    if (wrong > 0 && rank == 0) std::printf("FAILED: %d iterations\n", wrong);
    return wrong > 0 ? 1 : 0;
}
