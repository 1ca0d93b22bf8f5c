// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that follow each other, contain each other, and are open at the same time; several communicators.
#include <sched.h>
#include <unistd.h>

#include "loop/matrix.hpp"

namespace gimbal::test {
namespace {

using Orders = OverRanks;

void expect_exactly_once(const std::vector<std::unique_ptr<Cover>>& covers, MPI_Comm comm) {
    for (std::size_t i = 0; i < covers.size(); ++i)
        EXPECT_TRUE(covers[i]->exactly_once(comm)) << "loop " << i << " of " << covers[i]->iterations();
}

TEST_F(Orders, FiftyLoopsOneAfterTheOtherWithoutBarriers) {
    std::vector<std::unique_ptr<Cover>> covers;
    for (int i = 0; i < 50; ++i) {
        covers.push_back(std::make_unique<Cover>(i % 5 == 0 ? i % 3 : 200 + i));
        run_loop(MPI_COMM_WORLD, "row", *covers.back(), {.schedule = "ss"});
    }
    expect_exactly_once(covers, MPI_COMM_WORLD);
}

TEST_F(Orders, FiftyLoopsOfFourNamesAndSchedules) {
    const std::vector<std::string> schedules{"ss", "fac2", "gss", "awf-b"};
    std::vector<std::unique_ptr<Cover>> covers;
    for (std::size_t i = 0; i < 50; ++i) {
        covers.push_back(std::make_unique<Cover>(300));
        run_loop(MPI_COMM_WORLD, "row of " + schedules[i % 4], *covers.back(), {.schedule = schedules[i % 4]});
    }
    expect_exactly_once(covers, MPI_COMM_WORLD);
}

// What is learnt from one execution is for loops of its length. Ranks must not take different plans for the next one,
// in every order of arrival, and whether or not the root is there in time.
TEST_F(Orders, OneNameWithManyLengthsWherePlansComeFromWhatWasLearnt) {
    const std::vector<std::int64_t> lengths{0, 1, 2, 5, 100, 900, 3, 0, 400, 1, 900, 100};
    for (const std::string schedule : {"feedback", "auto", "random", "wf2"}) {
        std::vector<std::unique_ptr<Cover>> covers;
        for (std::size_t i = 0; i < 5 * lengths.size(); ++i) {
            if (rank_ == 0 && i % 4 == 1) usleep(300);
            covers.push_back(std::make_unique<Cover>(lengths[i % lengths.size()]));
            mpi::Loop loop(MPI_COMM_WORLD, "lengths " + schedule, covers.back()->iterations(), {.schedule = schedule});
            while (const auto chunk = loop.next()) {
                covers.back()->add(chunk);
                volatile std::int64_t cost = 0;
                for (std::int64_t k = chunk.first; k < chunk.end; ++k)
                    for (std::int64_t spin = k % 300; spin > 0; --spin) cost = cost + spin;
            }
            loop.leave();
        }
        expect_exactly_once(covers, MPI_COMM_WORLD);
    }
}

TEST_F(Orders, ARankThatArrivesLateAtEveryLoop) {
    std::vector<std::unique_ptr<Cover>> covers;
    for (int i = 0; i < 10; ++i) {
        if (rank_ == i % size_) usleep(5000);
        covers.push_back(std::make_unique<Cover>(500));
        run_loop(MPI_COMM_WORLD, "late", *covers.back(), {.schedule = "fac2"});
    }
    expect_exactly_once(covers, MPI_COMM_WORLD);
}

TEST_F(Orders, ARankThatIsSlow) {
    for (const int slow : {0, size_ - 1}) {
        Cover cover(200);
        mpi::Loop loop(MPI_COMM_WORLD, "slow", 200, {.schedule = "ss"});
        while (const auto chunk = loop.next()) {
            cover.add(chunk);
            if (rank_ == slow) usleep(3000);
        }
        loop.leave();
        EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD)) << "slow: " << slow;
    }
}

TEST_F(Orders, ARankThatOnlyPassesThrough) {
    std::vector<std::unique_ptr<Cover>> covers;
    for (int i = 0; i < 10; ++i) {
        covers.push_back(std::make_unique<Cover>(300));
        mpi::Loop loop(MPI_COMM_WORLD, "through", 300, {.schedule = "gss"});
        if (size_ > 1 && rank_ == size_ - 1) continue;  // leaves without a chunk
        drain(loop, *covers.back());
    }
    // With `gss` a rank that asks gets what is left.
    expect_exactly_once(covers, MPI_COMM_WORLD);
}

/// Some ranks leave at once or after one chunk, and then the others run the loop to its end.
void leave_early(int rank, int size, const std::string& schedule, bool after_a_chunk) {
    Cover cover(2000);
    mpi::Loop loop(MPI_COMM_WORLD, "left early", 2000, {.schedule = schedule});
    // With nodes of 2, a node of which nobody stays: what was drawn for it beyond these chunks is for the others.
    const bool leaves = rank > 0 && rank >= size - 2;
    if (leaves && after_a_chunk) {
        if (const auto chunk = loop.next()) cover.add(chunk);
    }
    if (leaves) loop.leave();
    MPI_Request gone = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &gone);
    for (int done = 0; !done; sched_yield()) {
        MPI_Test(&gone, &done, MPI_STATUS_IGNORE);
        loop.progress();
    }
    if (!leaves) drain(loop, cover);
    loop.leave();
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD)) << schedule << (after_a_chunk ? "" : ", no chunk");
}

TEST_F(Orders, RanksThatLeaveAfterTheirFirstChunk) {
    for (int i = 0; i < 5; ++i) leave_early(rank_, size_, "ss", true);
}

TEST_F(Orders, WhatBelongsToARankThatLeavesIsRunByTheOthers) {
    for (const char* const schedule : {"static", "static,7", "ss", "ss,3", "lws,0.5:8", "fac2", "awf-b"}) {
        for (const bool after_a_chunk : {false, true}) leave_early(rank_, size_, schedule, after_a_chunk);
    }
}

/// Ranks leave when they like, rank 0 among them: no iteration runs twice.
TEST_F(Orders, RanksThatLeaveAtAnyTime) {
    for (const std::string schedule : {"feedback", "auto", "static", "static,3", "ss"}) {
        std::vector<std::unique_ptr<Cover>> covers;
        std::uint64_t random = 77 * static_cast<std::uint64_t>(rank_) + 1;
        for (int i = 0; i < 100; ++i) {
            covers.push_back(std::make_unique<Cover>(1 + 7 * i % 60));
            mpi::Loop loop(MPI_COMM_WORLD, "at any time " + schedule, covers.back()->iterations(),
                           {.schedule = schedule});
            for (;;) {
                random = random * 6364136223846793005U + 1442695040888963407U;
                if (random >> 60U == 0) break;
                const auto chunk = loop.next();
                if (!chunk) break;
                covers.back()->add(chunk);
            }
        }
        for (const auto& cover : covers) EXPECT_TRUE(cover->at_most_once(MPI_COMM_WORLD)) << schedule;
    }
}

/// On two communicators different ranks hand out the chunks. Each leaves its own loop and goes on with the other one:
/// neither waits for what the other does afterwards.
TEST_F(Orders, RanksThatLeaveTheLoopsTheyServe) {
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_, &reversed);
    for (const std::string schedule : {"ss", "fac2", "static"}) {
        for (const bool after_a_chunk : {false, true}) {
            std::vector<std::unique_ptr<Cover>> covers;
            for (int i = 0; i < 2; ++i) {
                covers.push_back(std::make_unique<Cover>(1000));
                Cover& a = *covers.back();
                covers.push_back(std::make_unique<Cover>(1000));
                Cover& b = *covers.back();
                mpi::Loop first(MPI_COMM_WORLD, "served " + schedule, 1000, {.schedule = schedule});
                mpi::Loop second(reversed, "served " + schedule, 1000, {.schedule = schedule});
                const bool last = size_ > 1 && rank_ == size_ - 1;
                mpi::Loop& served = last ? second : first;
                if (size_ > 1 && (rank_ == 0 || last)) {
                    if (after_a_chunk)
                        if (const auto chunk = served.next()) (last ? b : a).add(chunk);
                    served.leave();
                } else {
                    drain(first, a);
                }
                if (!last) drain(second, b);
                if (last) drain(first, a);
            }
            for (const auto& cover : covers) {
                // What a rank has that leaves after the others were told of the end is run by nobody.
                const bool has_none = schedule != "static" && !after_a_chunk;
                EXPECT_TRUE(has_none ? cover->exactly_once(MPI_COMM_WORLD) : cover->at_most_once(MPI_COMM_WORLD))
                    << schedule;
            }
        }
    }
    MPI_Comm_free(&reversed);
}

/// Rank 0 leaves a loop and is where all ranks must come to, before others have drawn from it.
TEST_F(Orders, ARankThatLeavesBeforeOthersBeginALoop) {
    Cover cover(1000), next(100);
    mpi::Loop loop(MPI_COMM_WORLD, "before another", 1000, {.schedule = "ss"});
    if (size_ > 1 && rank_ == 0) loop.leave();
    run_loop(MPI_COMM_WORLD, "the other", next);
    if (size_ == 1 || rank_ > 0) drain(loop, cover);
    EXPECT_TRUE(next.exactly_once(MPI_COMM_WORLD));
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
}

TEST_F(Orders, MoreExecutionsOfOneLoopThanWaitForTheSlowest) {
    // A rank that stands still while the others run on, and comes after them.
    std::vector<std::unique_ptr<Cover>> covers;
    for (int i = 0; i < 30; ++i) {
        if (i == 5 && rank_ == size_ - 1) usleep(100'000);
        covers.push_back(std::make_unique<Cover>(40));
        run_loop(MPI_COMM_WORLD, "far ahead", *covers.back(), {.schedule = "ss"});
    }
    expect_exactly_once(covers, MPI_COMM_WORLD);
}

TEST_F(Orders, ALoopInsideAnotherOnTheSameCommunicator) {
    // Every rank opens the inner loops at the same place of its own work: after the outer loop has begun.
    Cover outer(400);
    std::vector<std::unique_ptr<Cover>> inner;
    mpi::Loop loop(MPI_COMM_WORLD, "outer", 400, {.schedule = "ss"});
    for (int i = 0; i < 5; ++i) {
        if (const auto chunk = loop.next())
            outer.add(chunk);
        else
            break;
        inner.push_back(std::make_unique<Cover>(100));
        run_loop(MPI_COMM_SELF, "inner", *inner.back(), {.schedule = "fac2"});
        EXPECT_TRUE(inner.back()->exactly_once(MPI_COMM_SELF));
    }
    std::vector<std::unique_ptr<Cover>> together;
    for (int i = 0; i < 3; ++i) {
        together.push_back(std::make_unique<Cover>(150));
        run_loop(MPI_COMM_WORLD, "nested", *together.back(), {.schedule = "ss"});
    }
    expect_exactly_once(together, MPI_COMM_WORLD);
    try {
        drain(loop, outer);
    } catch (const Error&) {
        // Others were so fast that the end was seen above.
    }
    EXPECT_TRUE(outer.exactly_once(MPI_COMM_WORLD));
}

TEST_F(Orders, TwoLoopsOpenAtTheSameTimeDrawnFromInTurn) {
    for (const bool one_name : {false, true}) {
        Cover a(1000), b(700);
        mpi::Loop first(MPI_COMM_WORLD, "turn", 1000, {.schedule = "ss"});
        mpi::Loop second(MPI_COMM_WORLD, one_name ? "turn" : "other turn", 700, {.schedule = "ss"});
        bool more_a = true, more_b = true;
        while (more_a || more_b) {
            if (more_a) {
                const auto chunk = first.next();
                more_a = static_cast<bool>(chunk);
                if (chunk) a.add(chunk);
            }
            if (more_b) {
                const auto chunk = second.next();
                more_b = static_cast<bool>(chunk);
                if (chunk) b.add(chunk);
            }
        }
        // Left in the other order on odd ranks.
        if (rank_ % 2 == 1) second.leave();
        first.leave();
        second.leave();
        EXPECT_TRUE(a.exactly_once(MPI_COMM_WORLD)) << one_name;
        EXPECT_TRUE(b.exactly_once(MPI_COMM_WORLD)) << one_name;
    }
}

TEST_F(Orders, ALoopOutlivesTheOnesAfterIt) {
    Cover early(1000);
    mpi::Loop loop(MPI_COMM_WORLD, "outlives", 1000, {.schedule = "fac2"});
    std::vector<std::unique_ptr<Cover>> later;
    for (int i = 0; i < 10; ++i) {
        later.push_back(std::make_unique<Cover>(200));
        run_loop(MPI_COMM_WORLD, "later", *later.back(), {.schedule = "fac2"});
    }
    drain(loop, early);
    loop.leave();
    EXPECT_TRUE(early.exactly_once(MPI_COMM_WORLD));
    expect_exactly_once(later, MPI_COMM_WORLD);
}

TEST_F(Orders, TwoCommunicatorsAtOnce) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    Cover a(1000), b(1000);
    {
        mpi::Loop first(MPI_COMM_WORLD, "both", 1000, {.schedule = "ss"});
        mpi::Loop second(copy, "both", 1000, {.schedule = "gss"});
        drain(rank_ % 2 == 0 ? first : second, rank_ % 2 == 0 ? a : b);
        drain(rank_ % 2 == 0 ? second : first, rank_ % 2 == 0 ? b : a);
    }
    EXPECT_TRUE(a.exactly_once(MPI_COMM_WORLD));
    EXPECT_TRUE(b.exactly_once(copy));
    MPI_Comm_free(&copy);
}

TEST_F(Orders, HalvesOfACommunicatorWithOtherSizes) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, -rank_, &half);
    std::vector<std::unique_ptr<Cover>> covers;
    for (int i = 0; i < 10; ++i) {
        covers.push_back(std::make_unique<Cover>(100 + 57 * (rank_ % 2)));
        run_loop(half, "half", *covers.back(), {.schedule = "fac2"});
    }
    Cover whole(1000);
    run_loop(MPI_COMM_WORLD, "whole", whole);
    expect_exactly_once(covers, half);
    EXPECT_TRUE(whole.exactly_once(MPI_COMM_WORLD));
    MPI_Comm_free(&half);
}

TEST_F(Orders, CommunicatorsThatAreFreedAfterTheirLoops) {
    for (int i = 0; i < 3; ++i) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        Cover cover(500);
        run_loop(copy, "freed", cover, {.schedule = "ss"});
        MPI_Comm_free(&copy);  // at once: others may still be drawing
        EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD)) << i;
    }
}

}  // namespace
}  // namespace gimbal::test
