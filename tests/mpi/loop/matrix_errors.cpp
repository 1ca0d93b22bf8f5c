// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong use is an error that says so, on every rank, and never a hang.
#include <cmath>
#include <vector>

#include "loop/matrix.hpp"

namespace gimbal::test {
namespace {

using WrongUse = OverRanks;

constexpr int kWrongUse = static_cast<int>(ErrorCode::wrong_use);

void expect_that_loops_still_work() {
    Cover cover(100);
    run_loop(MPI_COMM_WORLD, "after an error", cover);
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
}

TEST_F(WrongUse, NoCommunicator) {
    EXPECT_EQ(code_of([] { mpi::Loop(MPI_COMM_NULL, "wrong", 10); }), kWrongUse);
    expect_that_loops_still_work();
}

TEST_F(WrongUse, NegativeIterations) {
    EXPECT_EQ(code_of([] { mpi::Loop(MPI_COMM_WORLD, "wrong", -1); }), kWrongUse);
    expect_that_loops_still_work();
}

TEST_F(WrongUse, WeightsThatAreNoSpeeds) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (const double weight : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
        const std::vector<double> weights(static_cast<std::size_t>(ranks), weight);
        EXPECT_EQ(code_of([&] { mpi::Loop(MPI_COMM_WORLD, "wrong", 10, {.schedule = "wf2", .weights = weights}); }),
                  kWrongUse)
            << weight;
    }
    expect_that_loops_still_work();
}

TEST_F(WrongUse, ASchedulesNameThatDoesNotExist) {
    for (const char* const schedule : {"fac22", "ss,x", ",", "\n"})
        EXPECT_EQ(code_of([&] { mpi::Loop(MPI_COMM_WORLD, "wrong", 10, {.schedule = schedule}); }),
                  static_cast<int>(ErrorCode::invalid_option))
            << schedule;
    expect_that_loops_still_work();
}

TEST_F(WrongUse, AChunkAfterTheEnd) {
    Cover cover(10);
    mpi::Loop loop(MPI_COMM_WORLD, "ended", 10);
    drain(loop, cover);
    EXPECT_EQ(code_of([&] { static_cast<void>(loop.next()); }), kWrongUse);
    loop.leave();
    EXPECT_EQ(code_of([&] { static_cast<void>(loop.next()); }), kWrongUse);
    EXPECT_EQ(code_of([&] { loop.leave(); }), 0);
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
    expect_that_loops_still_work();
}

// Rank 0 has refused an execution, so that it reads in another rank's message what the next one runs under.
TEST_F(WrongUse, AfterItRankZeroReadsTheLongestScheduleWhole) {
    constexpr std::int64_t kIterations = 20000;
    const mpi::LoopOptions options{.schedule = "nonmonotonic:lws-weighted,2.2250738585072014e-308:1000"};
    Cover before(kIterations), after(kIterations);
    mpi::Loop first(MPI_COMM_WORLD, "long schedule", kIterations, options);
    drain(first, before);
    // Some may be through before rank 0 says so.
    static_cast<void>(code_of([&] {
        mpi::Loop loop(MPI_COMM_WORLD, "long schedule", rank_ == 0 ? -1 : kIterations, options);
        while (loop.next()) {
        }
        loop.leave();
    }));
    MPI_Request others = MPI_REQUEST_NULL;
    int others_here = 0, whole = 0;
    if (rank_ == 0)
        for (MPI_Ibarrier(MPI_COMM_WORLD, &others); !others_here; first.progress())
            MPI_Test(&others, &others_here, MPI_STATUS_IGNORE);
    mpi::Loop loop(MPI_COMM_WORLD, "long schedule", kIterations, options);
    while (const auto chunk = loop.next()) {
        after.add(chunk);
        whole += rank_ != 0 && chunk.size() == 1000;
    }
    if (rank_ != 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &others);
        wait_yielding(others);
    }
    sum_over_ranks({&whole, 1}, MPI_COMM_WORLD);
    EXPECT_TRUE(whole > 0 || size_ == 1) << "no chunk has 1000 iterations";
    EXPECT_TRUE(before.exactly_once(MPI_COMM_WORLD));
    EXPECT_TRUE(after.exactly_once(MPI_COMM_WORLD));
}

}  // namespace
}  // namespace gimbal::test
