// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose chunks may run twice; they do where GIMBAL_MPI_ROBUST is on.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "loop/matrix.hpp"

namespace gimbal::test {
namespace {

using Robust = OverRanks;

/// As drain(), but only chunks that this rank is the first to finish count.
void drain_idempotent(mpi::Loop& loop, Cover& cover, unsigned longest_us) {
    unsigned random = 1;
    while (const auto chunk = loop.next()) {
        random = random * 1664525 + 1013904223;
        usleep((random >> 16U) % (longest_us + 1));
        if (loop.finish(chunk)) cover.add(chunk);
    }
}

TEST_F(Robust, OneRankIsTheFirstToFinishAnIteration) {
    for (const std::string schedule : {"feedback", "runtime", "static", "lws,0.5:40", "awf-b"}) {
        std::vector<std::unique_ptr<Cover>> covers;
        for (int i = 0; i < 10; ++i) {
            covers.push_back(std::make_unique<Cover>(1000));
            mpi::Loop loop(MPI_COMM_WORLD, "first " + schedule, 1000, {.schedule = schedule, .idempotent = true});
            drain_idempotent(loop, *covers.back(), 300);
        }
        for (const auto& cover : covers) EXPECT_TRUE(cover->exactly_once(MPI_COMM_WORLD)) << schedule;
    }
}

TEST_F(Robust, OnlyTheChunkThatARankHoldsCanBeFinished) {
    const char* const robust = std::getenv("GIMBAL_MPI_ROBUST");
    const int code = robust && std::string(robust) == "on" ? static_cast<int>(ErrorCode::wrong_use) : 0;
    Cover cover(200);
    mpi::Loop loop(MPI_COMM_WORLD, "another's", 200, {.schedule = "fac2", .idempotent = true});
    while (const auto chunk = loop.next()) {
        for (const mpi::Chunk wrong : {mpi::Chunk{chunk.first, chunk.end + 1}, mpi::Chunk{chunk.first, chunk.first},
                                       mpi::Chunk{-5, 4}, mpi::Chunk{0, 100000}})
            EXPECT_EQ(code_of([&] { static_cast<void>(loop.finish(wrong)); }), code);
        if (loop.finish(chunk)) cover.add(chunk);
    }
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
}

// As where an exception leaves the loop: the rank does not say that it has finished the chunk.
TEST_F(Robust, AChunkThatItsRankDoesNotFinishRunsOnAnother) {
    const char* const robust = std::getenv("GIMBAL_MPI_ROBUST");
    if (size_ < 2 || !robust || std::string(robust) != "on") GTEST_SKIP() << "no chunk runs twice here";
    for (int leaver : {0, size_ - 1}) {
        Cover cover(200);
        mpi::Loop loop(MPI_COMM_WORLD, "left", 200, {.schedule = "fac2", .idempotent = true});
        if (rank_ == leaver) {
            static_cast<void>(loop.next());
            loop.leave();
        } else {
            drain_idempotent(loop, cover, 100);
        }
        EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD)) << "rank " << leaver << " left";
    }
}

// More than the foreman keeps for a rank that is missing.
TEST_F(Robust, ARankThatComesToManyLoopsThatAreOver) {
    std::vector<std::unique_ptr<Cover>> covers;
    for (int i = 0; i < 16; ++i) {
        if (i == 0 && size_ > 1 && rank_ == size_ - 1) usleep(300'000);
        covers.push_back(std::make_unique<Cover>(50));
        mpi::Loop loop(MPI_COMM_WORLD, "over", 50, {.schedule = "fac2", .idempotent = true});
        drain_idempotent(loop, *covers.back(), 10);
    }
    for (const auto& cover : covers) EXPECT_TRUE(cover->exactly_once(MPI_COMM_WORLD));
}

// The others wait for its part, and it waits for them to begin another loop.
TEST_F(Robust, RankZeroThatStopsBetweenTwoOfItsOwnChunks) {
    Cover cover(40);
    {
        mpi::Loop first(MPI_COMM_WORLD, "stopped", 40, {.schedule = "static,1", .idempotent = true});
        if (rank_ == 0) {
            const auto chunk = first.next();
            if (first.finish(chunk)) cover.add(chunk);
        } else {
            drain_idempotent(first, cover, 10);
        }
        mpi::Loop second(MPI_COMM_WORLD, "begun meanwhile", 10, {.idempotent = true});
        while (second.next()) {
        }
        if (rank_ == 0) drain_idempotent(first, cover, 10);
    }
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
}

/// The program receives its own message, and no other, on a communicator.
void expect_own_message(MPI_Comm comm, int rank, int size, int number) {
    std::array<int, 256> got{};
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(got.data(), sizeof got, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, requests.data());
    MPI_Isend(&number, 1, MPI_INT, (rank + 1) % size, 5, comm, &requests[1]);
    wait_yielding(requests[1]);
    MPI_Status status;
    for (int done = 0; !done; sched_yield()) MPI_Test(requests.data(), &done, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    EXPECT_EQ(status.MPI_TAG, 5);
    EXPECT_EQ(bytes, static_cast<int>(sizeof number));
    EXPECT_EQ(got[0], number);
}

// What MPI knows a communicator by goes to a later one once it is freed; so the program is sure to get what Gimbal's
// had.
TEST_F(Robust, ALoopLeavesNoMessagesToLaterCommunicators) {
    for (int round = 0; round < 25; ++round) {
        std::array<MPI_Comm, 6> copies{};
        for (MPI_Comm& copy : copies) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        for (MPI_Comm& copy : copies) {
            expect_own_message(copy, rank_, size_, round);
            if (&copy != &copies.back()) MPI_Comm_free(&copy);
        }
        {
            Cover cover(20);
            mpi::Loop loop(copies.back(), "messages", 20, {.schedule = "fac2", .idempotent = true});
            drain_idempotent(loop, cover, 100);
        }
        MPI_Comm_free(&copies.back());
    }
}

}  // namespace
}  // namespace gimbal::test
