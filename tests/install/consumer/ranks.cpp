// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stranger's MPI program: one loop over ranks; exits with 0 if every iteration ran once, told by their sum.
#include <gimbal/mpi/loop.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    long long sum = 0;
    {
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "sum", 1000);
        for (const auto chunk : loop)
            for (auto i = chunk.first; i < chunk.end; ++i) sum += i;
    }
    long long all = 0;
    int rank = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("sum %lld\n", all);
    MPI_Finalize();
    return all == 499500 ? 0 : 1;
}
