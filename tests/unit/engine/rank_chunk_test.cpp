// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/rank_chunk.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "engine/execution.hpp"

namespace {

using namespace gimbal;

constexpr std::uint64_t kWhole = 1000;

/// A process that draws chunks of a loop over ranks.
struct Process {
    gimbal_rank_chunk here{};
    gimbal_rank_chunk execution{.first = 0, .end = 0, .trip = kWhole, .number = 0, .of = 0, .site = nullptr};

    void draw(std::uint64_t first, std::uint64_t end) { gimbal_rank_chunk_begin(&here, &execution, first, end); }
};

TEST(RankTie, ALoopThatRunsEachChunkOnceHasItsPlace) {
    Process process;
    RankTie tie;
    for (std::uint64_t first = 0; first < kWhole; first += 100) {
        process.draw(first, first + 100);
        const RankPart part = tie.part_of(process.here, 100);
        EXPECT_TRUE(part);
        EXPECT_EQ(part.first, first);
        EXPECT_EQ(part.whole, kWhole);
    }
}

TEST(RankTie, ALoopOfAnotherLengthHasNoPlaceForEver) {
    Process process;
    RankTie tie;
    process.draw(0, 100);
    EXPECT_TRUE(tie.part_of(process.here, 100));
    process.draw(100, 150);
    EXPECT_FALSE(tie.part_of(process.here, 100)) << "the inner loop happens to have 100 iterations";
    process.draw(200, 300);
    EXPECT_FALSE(tie.part_of(process.here, 100)) << "so the first one happened to, too";
}

TEST(RankTie, ALoopThatRunsTwiceInAChunkHasNoPlace) {
    Process process;
    RankTie tie;
    process.draw(0, 100);
    EXPECT_TRUE(tie.part_of(process.here, 100));
    EXPECT_FALSE(tie.part_of(process.here, 100));
}

TEST(RankTie, ChunksThatCannotBeAreNone) {
    Process process;
    RankTie tie;
    process.draw(950, 1050);
    EXPECT_FALSE(tie.part_of(process.here, 100)) << "beyond the end of the loop over ranks";
}

TEST(RankTie, WhatTheRanksSayOfTheThreadsComesThrough) {
    for (const Technique* const technique : techniques()) {
        const Within within{.technique = technique, .trial = true, .sampled = true};
        EXPECT_EQ(unpacked(packed(within)), within) << technique->info().name;
    }
    EXPECT_EQ(unpacked(packed({.hold = true})), (Within{.hold = true}));
    EXPECT_EQ(unpacked(packed({})), Within{});
}

TEST(TeamsInChunks, KnowsWhatAChunkCostsBesidesItsLoop) {
    TeamsInChunks teams;
    for (int chunk = 0; chunk < 4; ++chunk) teams.add(8, 100, 90, true);
    teams.add_rank(480, 4);
    EXPECT_EQ(teams.threads(), 8U);
    EXPECT_DOUBLE_EQ(teams.overhead(), 20);
    EXPECT_FALSE(teams.follow()) << "ranks do not hear of it";
    teams.tell();
    EXPECT_TRUE(teams.follow());
    teams.add(8, 100, 90, true);
    teams.add_rank(10'000, 4);
    EXPECT_DOUBLE_EQ(teams.overhead(), 20) << "three of the chunks were not run by a team";
}

/// What two threads see that run a chunk of `n` iterations, each of which takes `time`.
std::vector<WorkerSlot> slots_of(std::uint64_t n, double time) {
    std::vector<WorkerSlot> slots(2);
    for (WorkerSlot& slot : slots) slot.begin_costs(n, 2);
    slots[0].costs->add({0, n / 2}, time * static_cast<double>(n / 2));
    slots[1].costs->add({n / 2, n}, time * static_cast<double>(n - n / 2));
    return slots;
}

TEST(CostsInChunks, HasWhatThreadsMeasuredAtItsPlaceInTheWholeLoop) {
    CostsInChunks costs;
    costs.prepare(kWhole, 2);
    costs.add({.first = 200, .whole = kWhole}, 100, slots_of(100, 1));
    costs.add({.first = 700, .whole = kWhole}, 50, slots_of(50, 3));
    ChunkCosts all;
    all.prepare(kWhole, CostProfile::bins_for(kWhole, 2));
    costs.take(all, 150);
    EXPECT_NEAR(all.time(), 100 + 150, 1e-9);
    CostProfile profile;
    const ChunkCosts* const workers[] = {&all};
    profile.learn(workers);
    EXPECT_NEAR(profile.before(0.3) - profile.before(0.2), 100, 2);
    EXPECT_NEAR(profile.before(0.75) - profile.before(0.7), 150, 5);
}

TEST(CostsInChunks, IsEmptyUnlessEverythingWasMeasured) {
    CostsInChunks costs;
    costs.prepare(kWhole, 2);
    costs.add({.first = 0, .whole = kWhole}, 100, slots_of(100, 1));
    ChunkCosts all;
    all.prepare(kWhole, CostProfile::bins_for(kWhole, 2));
    costs.take(all, 200);
    EXPECT_EQ(all.time(), 0);
}

}  // namespace
