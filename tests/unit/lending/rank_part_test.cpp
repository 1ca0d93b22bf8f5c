// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/rank_part.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace gimbal {
namespace {

// Machines, by the lowest processor of a processor's core.
int pairs(int processor) noexcept {
    return processor / 2 * 2;
}
int halves_of_128(int processor) noexcept {
    return processor % 64;
}
int by_itself(int processor) noexcept {
    return processor;
}
int unknown(int) noexcept {
    return -1;
}
int partly_known(int processor) noexcept {
    return processor < 3 ? processor : -1;
}

template <class Has>
CoreMask mask_of(Has has) {
    CoreMask mask;
    for (int processor = 0; processor < 128; ++processor)
        if (has(processor)) mask = mask.with(processor);
    return mask;
}

CoreMask first(int count) {
    return mask_of([count](int processor) { return processor < count; });
}

std::vector<int> processors_of(const CoreMask& mask) {
    std::vector<int> found;
    for (int processor = 0; processor < 128; ++processor)
        if (mask.has(processor)) found.push_back(processor);
    return found;
}

using Processors = std::vector<int>;

TEST(RankPart, EachThreadHasACoreWhereThereAreCoresEnough) {
    EXPECT_EQ(processors_of(part_of_rank(first(16), 0, 2, 4, pairs)), (Processors{0, 2, 4, 6}));
    EXPECT_EQ(processors_of(part_of_rank(first(16), 1, 2, 4, pairs)), (Processors{8, 10, 12, 14}));
}

TEST(RankPart, RanksThatALauncherHasBoundToASocketPartItsCoresAmongThemselves) {
    const CoreMask socket = mask_of([](int processor) { return processor % 64 / 32 == 1; });
    std::set<int> cores;
    for (std::uint32_t number = 0; number < 2; ++number) {
        for (const int processor : processors_of(part_of_rank(socket, number, 2, 16, halves_of_128))) {
            EXPECT_TRUE(socket.has(processor));
            EXPECT_TRUE(cores.insert(halves_of_128(processor)).second) << "two threads on the core of " << processor;
        }
    }
    EXPECT_EQ(cores.size(), 32U);
}

TEST(RankPart, RanksWithMoreThreadsHaveWholeCores) {
    EXPECT_EQ(processors_of(part_of_rank(first(16), 0, 2, 6, pairs)), (Processors{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(processors_of(part_of_rank(first(16), 1, 2, 6, pairs)), (Processors{6, 7, 8, 9, 10, 11}));
    const CoreMask quarter = mask_of([](int processor) { return processor % 64 < 4; });
    EXPECT_EQ(processors_of(part_of_rank(quarter, 0, 2, 4, halves_of_128)), (Processors{0, 1, 64, 65}));
    EXPECT_EQ(processors_of(part_of_rank(quarter, 1, 2, 4, halves_of_128)), (Processors{2, 3, 66, 67}));
}

TEST(RankPart, AMaskOfSecondSiblingsOnlyIsPartedAlike) {
    const CoreMask upper = mask_of([](int processor) { return processor >= 64 && processor < 68; });
    EXPECT_EQ(processors_of(part_of_rank(upper, 1, 2, 2, halves_of_128)), (Processors{66, 67}));
}

TEST(RankPart, NoTwoRanksHaveTheSameProcessor) {
    for (const CoreOf machine : {pairs, halves_of_128, by_itself}) {
        for (std::uint32_t ranks = 1; ranks <= 5; ++ranks) {
            for (std::uint32_t threads = 1; ranks * threads <= 40; ++threads) {
                std::set<int> taken;
                for (std::uint32_t number = 0; number < ranks; ++number) {
                    const Processors own = processors_of(part_of_rank(first(40), number, ranks, threads, machine));
                    EXPECT_EQ(own.size(), threads);
                    taken.insert(own.begin(), own.end());
                }
                EXPECT_EQ(taken.size(), ranks * threads);
            }
        }
    }
}

TEST(RankPart, WhereProcessorsAreTooFewOrTheirCoresNotKnownThereIsNone) {
    EXPECT_TRUE(part_of_rank(first(7), 0, 2, 4, by_itself).empty());
    EXPECT_FALSE(part_of_rank(first(8), 0, 2, 4, by_itself).empty());
    EXPECT_TRUE(part_of_rank(first(8), 0, 2, 4, unknown).empty());
    EXPECT_TRUE(part_of_rank(first(8), 0, 2, 4, partly_known).empty());
}

TEST(RankPart, TheSystemTellsTheCoresOfThisMachine) {
    CoreMask mask;
    ASSERT_TRUE(mask.read(0));
    EXPECT_LT(core_of(CoreMask::kMax), 0);
    for (const int processor : processors_of(mask)) {
        const int core = core_of(processor);
        if (core < 0) GTEST_SKIP() << "the system does not tell which processors share a core";
        EXPECT_LE(core, processor);
        EXPECT_EQ(core_of(core), core);
    }
}

}  // namespace
}  // namespace gimbal
