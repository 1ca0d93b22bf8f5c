// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/yielding.hpp"

#include <sched.h>

namespace gimbal::test {

void wait_yielding(MPI_Request& request) {
    int done = 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) sched_yield();
}

void sum_over_ranks(std::span<int> values, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT, MPI_SUM, comm, &request);
    wait_yielding(request);
}

void barrier(MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm, &request);
    wait_yielding(request);
}

}  // namespace gimbal::test
