// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A callback that throws: nobody waits for ever, the error reaches whom it concerns, and the next execution works.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

#include "steal/ledger.hpp"
#include "support/yielding.hpp"

namespace gimbal::test {
namespace {

using Rule = mpi::StealOptions::Rule;

enum class Where { run, pack, run_stolen, accept };

struct Oops : std::runtime_error {
    Oops() : std::runtime_error("oops") {}
};

int rank_here() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

class Failure : public testing::TestWithParam<std::tuple<Where, Rule>> {
protected:
    // One execution in which rank `thrower` throws in its k-th call there. Rank `rich` owns all.
    // 0: nothing was thrown, 1: Oops, 2: gimbal::Error
    int execute(Where where, Rule rule, int thrower, int rich, int calls) {
        std::int64_t left = rank_here() == thrower ? calls : -1;
        const auto step = [&](Where here) {
            if (here == where && left >= 0 && left-- == 0) throw Oops();
        };
        mpi::StealWork work;
        work.run = [&](auto, auto) {
            step(Where::run);
            for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < 2e-5;) {
            }
        };
        work.pack = [&](auto, auto count, auto& items) {
            step(Where::pack);
            items.resize(items.size() + static_cast<std::size_t>(count));
        };
        work.run_stolen = [&](auto, auto, auto, auto, auto& results) {
            step(Where::run_stolen);
            results.resize(results.size() + 3);
        };
        work.accept = [&](auto, auto, auto) { step(Where::accept); };
        what_.clear();
        try {
            const std::int64_t owned = rank_here() == rich ? 300 : 0;
            mpi::StealLoop(MPI_COMM_WORLD, "failing", owned, work, {.rule = rule, .run_at_once = 1}).run();
            return 0;
        } catch (const Oops&) {
            return 1;
        } catch (const Error& error) {
            what_ = error.what();
            return 2;
        }
    }

    std::string what_;
};

TEST_P(Failure, ReachesItsRankAndTheOwnerAndNobodyElse) {
    const auto [where, rule] = GetParam();
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rich = size - 1;  // not rank 0, which is to steal
    for (int calls = 0; calls < 3; ++calls) {
        const int thrower = where == Where::run_stolen ? 0 : rich;
        const int came = execute(where, rule, thrower, rich, calls);
        int counts[3] = {came == 1, came == 2, came == 2 && rank_here() != rich};
        sum_over_ranks(counts, MPI_COMM_WORLD);
        EXPECT_LE(counts[0], 1);
        EXPECT_EQ(came == 1 && rank_here() != thrower, false);
        EXPECT_EQ(counts[2], 0) << "an error on a rank that owns nothing";
        if (where == Where::run) {
            EXPECT_EQ(counts[0], 1);
            EXPECT_EQ(counts[1], 0);
        }
        EXPECT_TRUE(where != Where::run_stolen || counts[0] == counts[1]) << "thief and owner";
        if (came == 2) {
            EXPECT_NE(what_.find("oops"), std::string::npos) << what_;
            EXPECT_NE(what_.find("rank 0"), std::string::npos) << what_;
        }
        Ledger next(MPI_COMM_WORLD, rank_here() * 20, 500);
        EXPECT_TRUE(next.exactly_once(next.run("failing", {.rule = rule})));
    }
}

std::string name_of(const testing::TestParamInfo<std::tuple<Where, Rule>>& test) {
    const char* const names[] = {"run", "pack", "run_stolen", "accept"};
    return std::string(names[static_cast<int>(std::get<0>(test.param))]) +
           (std::get<1>(test.param) == Rule::seed ? "_seed" : "_nearest");
}

INSTANTIATE_TEST_SUITE_P(All, Failure,
                         testing::Combine(testing::Values(Where::run, Where::pack, Where::run_stolen, Where::accept),
                                          testing::Values(Rule::nearest, Rule::seed)),
                         name_of);

TEST(Failing, OnAllRanksAtOnce) {
    mpi::StealWork work;
    work.run = [](auto, auto) { throw Oops(); };
    work.pack = [](auto, auto, auto&) {};
    work.run_stolen = [](auto, auto, auto, auto, auto&) { throw Oops(); };
    // A rank whose only item was stolen before it could run it hears of it from the thief.
    EXPECT_THROW(mpi::StealLoop(MPI_COMM_WORLD, "all fail", 1, work).run(), std::runtime_error);
    Ledger next(MPI_COMM_WORLD, 10, 501);
    EXPECT_TRUE(next.exactly_once(next.run("all fail")));
}

TEST(WrongUse, PackThatOverwritesIsTold) {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpi::StealWork work;
    work.run = [](auto, auto) {
        for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < 1e-4;) {
        }
    };
    work.pack = [](auto, auto, auto& items) { items.assign(200, std::byte{1}); };
    work.run_stolen = [](auto, auto, auto, auto, auto&) {};
    int told = 0;
    try {
        mpi::StealLoop(MPI_COMM_WORLD, "overwrites", rank_here() == 0 ? 200 : 0, work, {.run_at_once = 1}).run();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::wrong_use);
        told = 1;
    }
    EXPECT_EQ(told == 1 && rank_here() != 0, false);
    int counts[1] = {told};
    sum_over_ranks(counts, MPI_COMM_WORLD);
    EXPECT_LE(counts[0], size == 1 ? 0 : 1);
}

}  // namespace
}  // namespace gimbal::test
