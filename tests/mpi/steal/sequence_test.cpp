// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steal loops of different names and loops over replicated data, one after the other without barriers.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "gimbal/mpi/loop.hpp"
#include "steal/ledger.hpp"
#include "support/cover.hpp"

namespace gimbal::test {
namespace {

TEST(Sequence, TwoStealLoopsAndALoop) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    constexpr int kRounds = 20;
    constexpr std::int64_t kIterations = 300;
    std::vector<Ledger> first, second;
    std::vector<std::unique_ptr<Cover>> covers;
    for (int k = 0; k < kRounds; ++k) {
        first.emplace_back(MPI_COMM_WORLD, (rank * 37 + k * 11) % 60, 600 + static_cast<std::uint64_t>(k));
        second.emplace_back(MPI_COMM_WORLD, rank == k % 3 ? 200 : 0, 700 + static_cast<std::uint64_t>(k));
        covers.push_back(std::make_unique<Cover>(kIterations));
    }
    for (std::size_t k = 0; k < kRounds; ++k) {
        EXPECT_TRUE(first[k].settled(first[k].run("sequence a"))) << k;
        mpi::Loop loop(MPI_COMM_WORLD, "sequence b", kIterations);
        while (const auto chunk = loop.next()) covers[k]->add(chunk);
        const auto rule = k % 2 == 0 ? mpi::StealOptions::Rule::seed : mpi::StealOptions::Rule::nearest;
        EXPECT_TRUE(second[k].settled(second[k].run("sequence c", {.rule = rule, .ratio = k % 4 < 2 ? -1.0 : 0.5})))
            << k;
    }
    for (std::size_t k = 0; k < kRounds; ++k) EXPECT_TRUE(covers[k]->exactly_once(MPI_COMM_WORLD)) << k;
}

// The chunks of a loop that is open are drawn before and after a steal loop runs.
TEST(Sequence, AStealLoopInsideAnOpenLoop) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Cover cover(1000);
    mpi::Loop loop(MPI_COMM_WORLD, "around", 1000);
    if (const auto chunk = loop.next()) cover.add(chunk);
    Ledger ledger(MPI_COMM_WORLD, rank == 0 ? 300 : 0, 800);
    EXPECT_TRUE(ledger.settled(ledger.run("inside")));
    while (const auto chunk = loop.next()) cover.add(chunk);
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
}

}  // namespace
}  // namespace gimbal::test
