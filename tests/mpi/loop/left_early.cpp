// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// left_early [robust|alone]: all ranks of a communicator in which rank 0 of MPI_COMM_WORLD is not leave a loop before
// its end, twice: that iterations did not run is said, once. With `robust` chunks may run twice. With `alone` each rank
// draws a loop on MPI_COMM_SELF to its end.
#include <mpi.h>

#include <string_view>

#include "gimbal/mpi/loop.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string_view mode = argc > 1 ? argv[1] : "";
    if (mode == "alone") {
        for (const auto chunk : gimbal::mpi::Loop(MPI_COMM_SELF, "alone", 1000)) static_cast<void>(chunk);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &part);
    for (int step = 0; part != MPI_COMM_NULL && step < 2; ++step) {
        gimbal::mpi::Loop loop(part, "left early", 1000, {.schedule = "static,10", .idempotent = mode == "robust"});
        static_cast<void>(loop.next());
    }
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
