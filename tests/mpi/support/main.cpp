// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

#include "support/rank_printer.hpp"

namespace {

constexpr int kSkipped = 77;  // what ctest counts as skipped

// Whether tests ran and every one of them was skipped.
bool all_skipped() {
    const auto& unit = *testing::UnitTest::GetInstance();
    return unit.skipped_test_count() > 0 && unit.skipped_test_count() == unit.test_to_run_count();
}

}  // namespace

int main(int argc, char** argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_FUNNELED && rank == 0) std::fprintf(stderr, "MPI_THREAD_FUNNELED is not provided\n");

    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new gimbal::test::RankPrinter);  // GoogleTest frees it

    int failed = RUN_ALL_TESTS() != 0 || provided < MPI_THREAD_FUNNELED;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed ? 1 : all_skipped() ? kSkipped : 0;
}
