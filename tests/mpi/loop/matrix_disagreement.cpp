// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank has other arguments than the others: that is an error on every rank, in every order, and the next
// execution works. The loops are so long that nobody gets to their end.
#include <sched.h>

#include <string>

#include "gimbal/mpi/mpi.h"
#include "loop/matrix.hpp"

namespace gimbal::test {
namespace {

constexpr std::int64_t kEndless = std::int64_t{1} << 40;

class Disagreement : public OverRanks {
protected:
    void SetUp() override {
        OverRanks::SetUp();
        if (IsSkipped()) return;
        if (size_ < 2) GTEST_SKIP() << "needs two ranks";
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        still_works();
    }
    void TearDown() override {
        if (comm_ == MPI_COMM_NULL) return;
        still_works();
        MPI_Comm_free(&comm_);
    }

    void still_works() {
        for (const std::int64_t n : {40, 40, 7, 120, 0, 40}) {
            Cover cover(n);
            run_loop(comm_, "n", cover, {.schedule = "ss"});
            EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD)) << n;
        }
    }

    /// All are here; who waits answers what others ask.
    static void meet() {
        MPI_Request all_here = MPI_REQUEST_NULL;
        MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
        for (int done = 0; !done; sched_yield()) {
            gimbal_mpi_progress();
            MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
        }
    }

    static void draw_on(mpi::Loop& loop) {
        while (loop.next()) sched_yield();
    }

    /// What a rank of those that come first does: one chunk, and when the others have come it draws on. Where it leaves
    /// instead, it does so when they have had their error.
    static void come_first(mpi::Loop& loop, bool leaves) {
        EXPECT_TRUE(loop.next());
        meet();
        if (leaves) meet();
        // With messages, the word may still be on its way.
        if (!leaves || loop.transport() != "shared") draw_on(loop);
        loop.leave();
    }

    mpi::Loop construct(std::int64_t n, bool first) {
        try {
            return {comm_, "n", n, {.schedule = "ss"}};
        } catch (const Error&) {
            if (first) meet();
            throw;
        }
    }

    /// Has `odd` come with another N before the others or after them.
    void disagree(int odd, bool odd_first, std::int64_t odd_n, bool leaves = false) {
        const bool is_odd = rank_ == odd;
        const bool first = is_odd == odd_first;
        std::string said;
        if (!first) meet();
        try {
            mpi::Loop loop = construct(is_odd ? odd_n : kEndless, first);
            if (first)
                come_first(loop, leaves);
            else
                draw_on(loop);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::wrong_use) << error.what();
            said = error.what();
        }
        if (!first && leaves) meet();
        EXPECT_NE(said, "") << "no error on rank " << rank_ << "; the odd one is " << odd
                            << (odd_first ? ", first" : "");
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
};

TEST_F(Disagreement, AnotherNumberOfIterationsIsAnErrorOnEveryRank) {
    for (const int odd : {0, size_ - 1}) {
        for (const bool odd_first : {false, true}) {
            disagree(odd, odd_first, kEndless - 1);
            still_works();
        }
    }
}

TEST_F(Disagreement, ANegativeNumberOnOneRankIsAnErrorOnEveryRank) {
    for (const int odd : {0, size_ - 1}) {
        for (const bool odd_first : {false, true}) {
            disagree(odd, odd_first, -1);
            still_works();
        }
    }
}

TEST_F(Disagreement, AgainAndAgain) {
    for (int round = 0; round < 20; ++round) disagree(round % size_, round % 3 == 0, kEndless + round + 1);
}

TEST_F(Disagreement, WhoLeavesInsteadOfDrawingHearsOfItToo) {
    for (const int odd : {0, size_ - 1}) disagree(odd, false, -1, true);
}

// That rank does not know which of the loops of that name the others begin: it is the one that was begun last.
TEST_F(Disagreement, AScheduleThatIsNotValidOnOneRank) {
    for (const char* const schedule : {"gss", "ss"}) {
        Cover cover(40);
        run_loop(comm_, "n", cover, {.schedule = schedule});
        EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
    }
    for (int odd = 0; odd < size_; ++odd) {
        const int code = code_of([&] {
            mpi::Loop loop(comm_, "n", kEndless, {.schedule = rank_ == odd ? "fac22" : "ss"});
            draw_on(loop);
            loop.leave();
        });
        EXPECT_EQ(code, static_cast<int>(rank_ == odd ? ErrorCode::invalid_option : ErrorCode::wrong_use)) << odd;
        still_works();
    }
}

}  // namespace
}  // namespace gimbal::test
