// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/share.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace {

struct Chunk {
    std::uint64_t first, end;
    bool operator==(const Chunk&) const = default;
};

std::vector<Chunk> drain(gimbal_share& share) {
    std::vector<Chunk> chunks;
    Chunk chunk{};
    while (gimbal_share_next(&share, &chunk.first, &chunk.end)) chunks.push_back(chunk);
    return chunks;
}

gimbal_share constant_share(std::uint64_t* counter, std::uint64_t trip, std::uint64_t chunk) {
    gimbal_share share{};
    share.counter = counter;
    share.claim = 1;
    share.step_inc = 1;
    share.chunk = chunk;
    share.steps = trip / chunk + (trip % chunk != 0);
    share.trip = trip;
    return share;
}

TEST(Share, ConstantChunksEndAtTheTripCount) {
    std::uint64_t counter = 0;
    gimbal_share share = constant_share(&counter, 10, 4);
    EXPECT_EQ(drain(share), (std::vector<Chunk>{{0, 4}, {4, 8}, {8, 10}}));
    EXPECT_EQ(share.chunks, 3U);
    EXPECT_EQ(share.iterations, 10U);
}

TEST(Share, NothingIsHandedOutOfAnEmptyLoop) {
    std::uint64_t counter = 0;
    gimbal_share share = constant_share(&counter, 0, 1);
    EXPECT_TRUE(drain(share).empty());
}

TEST(Share, AnExhaustedShareLeavesTheSharedCounterAlone) {
    std::uint64_t counter = 0;
    gimbal_share share = constant_share(&counter, 2, 1);
    drain(share);
    const std::uint64_t after = counter;
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    EXPECT_EQ(gimbal_share_next(&share, &first, &end), 0);
    EXPECT_EQ(counter, after);
}

TEST(Share, TableGivesTheChunksBetweenItsStarts) {
    const std::array<std::uint64_t, 4> starts{0, 50, 75, 80};
    std::uint64_t counter = 0;
    gimbal_share share = constant_share(&counter, 80, 80);
    share.starts = starts.data();
    share.steps = 3;
    EXPECT_EQ(drain(share), (std::vector<Chunk>{{0, 50}, {50, 75}, {75, 80}}));
}

TEST(Share, OwnedStepsNeedNoCounter) {
    gimbal_share share = constant_share(nullptr, 10, 2);
    share.step = 1;
    share.step_inc = 3;
    share.step_end = share.steps;
    EXPECT_EQ(drain(share), (std::vector<Chunk>{{2, 4}, {8, 10}}));
}

TEST(Share, WideClaimsHandOutSingleStepsAndStopAtTheEnd) {
    std::uint64_t counter = 0;
    gimbal_share share = constant_share(&counter, 10, 1);
    share.claim = 4;
    const std::vector<Chunk> chunks = drain(share);
    ASSERT_EQ(chunks.size(), 10U);
    for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(chunks[i], (Chunk{i, i + 1}));
}

TEST(Share, LastChunkOfTheLongestLoopDoesNotOverflow) {
    constexpr std::uint64_t kTrip = std::numeric_limits<std::uint64_t>::max();
    constexpr std::uint64_t kChunk = std::uint64_t{1} << 62;
    std::uint64_t counter = 0;
    gimbal_share share = constant_share(&counter, kTrip, kChunk);
    const std::vector<Chunk> chunks = drain(share);
    ASSERT_EQ(chunks.size(), 4U);
    EXPECT_EQ(chunks.back(), (Chunk{3 * kChunk, kTrip}));
}

}  // namespace
