// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/elastic_regions.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/clock.hpp"

namespace gimbal {
namespace {

// What one execution of a region is like: its length, what loops take of it, what others offer meanwhile.
struct Execution {
    double ms = 10;
    double loops = 1;
    double offered = 0.3;
};

class Region : public testing::Test {
protected:
    void SetUp() override {
        while (seconds_since_start() < 0.05) {
        }
    }
    // @return whether the team had surplus workers
    bool run(const Execution& how) {
        EXPECT_TRUE(region_.enter());
        const bool elastic = region_.begin();
        const double length = how.ms * 1000 * ticks_per_microsecond();
        region_.add_loop(length * how.loops);
        if (elastic) region_.add_surplus(length * how.offered);
        region_.end(region_.begun() + static_cast<std::uint64_t>(length),
                    elastic ? 0 : static_cast<std::uint64_t>(length * how.offered));
        region_.leave();
        return elastic;
    }
    bool run(const Execution& how, int times) {
        bool elastic = false;
        for (int i = 0; i < times; ++i) elastic = run(how);
        return elastic;
    }

    static inline std::array<char, 64> codes;
    static inline std::size_t used = 0;
    const char* const code_ = &codes.at(used++);  // an address that is no other region's
    gimbal_region& region_ = *region_of(code_);
};

TEST_F(Region, NothingIsDecidedBeforeItWasSeen) {
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(run({}));
    EXPECT_TRUE(run({}));
}

TEST_F(Region, StaysElasticWhileCoresAreUsed) {
    EXPECT_TRUE(run({}, 4));
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(run({}));
}

TEST_F(Region, WithoutOffersItIsLeftAlone) {
    EXPECT_FALSE(run({.offered = 0}, 20));
}

TEST_F(Region, EndsToBeElasticWhenNobodyOffersAnyMore) {
    EXPECT_TRUE(run({}, 10));
    EXPECT_FALSE(run({.offered = 0}, 40));
    EXPECT_TRUE(run({}, 10));
}

TEST_F(Region, CodeBesidesLoopsKeepsSurplusWorkersOut) {
    EXPECT_FALSE(run({.loops = 0.95}, 20));
}

TEST_F(Region, ShortRegionsAreNotWorthWakingAnybody) {
    EXPECT_FALSE(run({.ms = 0.3}, 20));
}

TEST_F(Region, ALoopThatLateWorkersCannotJoinKeepsThemOut) {
    EXPECT_TRUE(run({}, 5));
    region_.refuse();
    EXPECT_FALSE(run({}, 5));
}

TEST_F(Region, CodeThatAsksForNumbersOfThreadsKeepsThemOut) {
    EXPECT_TRUE(run({}, 5));
    const std::uint64_t before = gimbal_regions_with_numbers();
    gimbal_team_numbered(&region_);
    EXPECT_FALSE(run({}, 5));
    EXPECT_EQ(gimbal_regions_with_numbers(), before + 1);
}

TEST_F(Region, OfALibraryThatWasUnloadedNothingIsKnown) {
    EXPECT_TRUE(run({}, 4));
    const auto place = reinterpret_cast<std::uintptr_t>(code_);
    forget_regions(place - 16, place);
    forget_regions(place + 1, place + 16);
    EXPECT_TRUE(run({})) << "it is none of theirs";
    forget_regions(place, place + 1);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(run({})) << i;
    EXPECT_TRUE(run({}));
}

TEST_F(Region, OfALibraryThatWasUnloadedWhatKeptThemOutStays) {
    EXPECT_TRUE(run({}, 5));
    gimbal_team_numbered(&region_);
    const auto place = reinterpret_cast<std::uintptr_t>(code_);
    forget_regions(place, place + 1);
    EXPECT_FALSE(run({}, 5));
}

TEST_F(Region, TheFirstExecutionCountsForLittle) {
    run({.ms = 10, .loops = 0.2});
    EXPECT_TRUE(run({}, 3));
}

TEST(Team, ANamedNumberOfThreadsIsRespected) {
    const gimbal_team team = gimbal_team_begin(nullptr, 7);
    EXPECT_TRUE(team_in_flight());
    EXPECT_EQ(team.threads, 7U);
    EXPECT_EQ(team.own, 7U);
    EXPECT_EQ(team.region, nullptr);
    gimbal_team_end(team.region);
    EXPECT_FALSE(team_in_flight());
}

}  // namespace
}  // namespace gimbal
