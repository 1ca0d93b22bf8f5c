// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank's arguments are wrong: that is an error on every rank, nobody waits for that rank, and the next execution
// works.
#include <gtest/gtest.h>
#include <mpi.h>

#include <optional>
#include <string>

#include "steal/ledger.hpp"
#include "support/yielding.hpp"

namespace gimbal::test {
namespace {

using mpi::StealLoop;
using mpi::StealOptions;

class OneRankIsWrong : public testing::Test {
protected:
    void SetUp() override {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }

    // What an execution says on this rank, "" if it succeeds. Between the construction and run() the program itself
    // has all ranks meet.
    std::string said(int odd, bool owned, const StealOptions& options) {
        Ledger ledger(MPI_COMM_WORLD, 20, 5);
        mpi::StealWork work = ledger.work();
        const bool is_odd = rank_ == odd;
        if (is_odd && !owned) work.pack = nullptr;
        std::optional<StealLoop> loop;
        std::string text;
        try {
            loop.emplace(MPI_COMM_WORLD, "one is wrong", is_odd && owned ? -7 : 20, work, options);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::wrong_use);
            text = error.what();
        }
        barrier(MPI_COMM_WORLD);
        EXPECT_EQ(loop.has_value(), !is_odd);
        if (!loop) return text;
        try {
            loop->run();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::wrong_use);
            text = error.what();
        }
        return text;
    }

    void expect_errors_everywhere(const StealOptions& options) {
        for (const int odd : {0, size_ - 1}) {
            for (const bool owned : {true, false}) {
                const std::string text = said(odd, owned, options);
                const std::string part = rank_ != odd ? "rank " + std::to_string(odd)
                                         : owned      ? "-7"
                                                      : "pack is missing";
                EXPECT_NE(text.find(part), std::string::npos) << '"' << text << '"';
            }
            for (int k = 0; k < 3; ++k) {
                Ledger ledger(MPI_COMM_WORLD, 30 * (rank_ + 1), 6);
                EXPECT_TRUE(ledger.exactly_once(ledger.run("one is wrong", options)));
            }
        }
    }

    int rank_ = 0;
    int size_ = 1;
};

TEST_F(OneRankIsWrong, NearestRule) {
    expect_errors_everywhere({.rule = StealOptions::Rule::nearest});
}

TEST_F(OneRankIsWrong, SeedRule) {
    expect_errors_everywhere({.rule = StealOptions::Rule::seed});
}

TEST_F(OneRankIsWrong, WithTheAgentsRatio) {
    expect_errors_everywhere({.ratio = -1});
}

TEST_F(OneRankIsWrong, TheNextExecutionIsRunAtOnce) {
    for (int round = 0; round < 10; ++round) {
        const int odd = round % size_;
        Ledger ledger(MPI_COMM_WORLD, 10, 7);
        EXPECT_THROW(StealLoop(MPI_COMM_WORLD, "at once", rank_ == odd ? -1 : 10, ledger.work()).run(), Error);
        Ledger next(MPI_COMM_WORLD, 10, 8);
        EXPECT_TRUE(next.settled(next.run("at once")));
    }
}

}  // namespace
}  // namespace gimbal::test
