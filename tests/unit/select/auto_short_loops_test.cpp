// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// auto in loops so short that static is hard to beat, alone and beside other programs.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "measure/cost_profile.hpp"
#include "select/auto.hpp"

namespace {

using namespace gimbal;

/// A loop of 30 us whose threads wait for a tenth of it under static; what it takes under guided or gss, and under all
/// else.
struct ShortLoop {
    bool first_block_waits;   // under static; else the other one
    double least_part = 0.8;  // of the other block, of its time
    double others_ns = 0;     // what all else takes; 0: hardly more than guided

    std::unique_ptr<Selector> selector = make_auto(1, false);
    LoopContext context{
        .iterations = 1000, .workers = 2, .can_leave = true, .tick_s = 1e-9, .dispatch = 10, .iteration_time = 60};
    int with_static = 0, with_guided = 0, with_gss = 0, left = 0;

    void run(int executions, double static_ns, double guided_ns) {
        with_static = with_guided = with_gss = left = 0;
        for (int k = 0; k < executions; ++k) {
            const Decision decision = selector->choose(context);
            const std::string_view name = decision.schedule.technique->info().name;
            left += decision.left_for > 0 ? 1 : 0;
            if (decision.left_for > 0) continue;
            const bool is_static = name == "static", is_guided = name == "guided" || name == "gss";
            with_static += is_static ? 1 : 0;
            with_guided += name == "guided" ? 1 : 0;
            with_gss += name == "gss" ? 1 : 0;
            const double noise = 1 + 0.04 * (k % 5 - 2);
            const double time = noise * (is_static       ? static_ns
                                         : is_guided     ? guided_ns
                                         : others_ns > 0 ? others_ns
                                                         : guided_ns + 500);
            const double least = is_static ? least_part * time : 0.98 * time;
            std::array<WorkerRecord, 2> workers;
            workers[0].end = static_cast<std::uint64_t>(first_block_waits ? least : time);
            workers[1].end = static_cast<std::uint64_t>(first_block_waits ? time : least);
            selector->learn(decision,
                            {.iterations = 1000,
                             .loop_time = time,
                             .busy_max = time,
                             .busy_mean = (time + least) / 2,
                             .workers = workers},
                            context);
        }
    }
};

TEST(Auto, AShortLoopThatStaticLosesATenthOfIsNotLeftBeforeAnythingElseWasTried) {
    ShortLoop gains{.first_block_waits = false};
    gains.run(300, 30000, 25000);
    EXPECT_EQ(gains.left, 0);
    EXPECT_GT(gains.with_guided, 200);
    ShortLoop loses{.first_block_waits = false};  // its threads find their data where they left them
    loses.run(300, 30000, 36000);
    EXPECT_GT(loses.left, 100);
    EXPECT_GE(loses.with_guided, 3) << "it was tried";
}

// Where the costs rise gss does with fewer chunks; its first one is static's first block.
TEST(Auto, AShortLoopWhoseFirstBlockWaitsGetsLargerChunks) {
    ShortLoop rises{.first_block_waits = true};
    rises.run(300, 30000, 25000);
    EXPECT_GT(rises.with_gss, 200);
    EXPECT_LT(rises.with_guided, 50);
    ShortLoop falls{.first_block_waits = false};
    falls.run(300, 30000, 25000);
    EXPECT_GT(falls.with_guided, 200);
    EXPECT_LT(falls.with_gss, 50);
}

TEST(Auto, AShortLoopThatWasLeftWithoutProofIsTakenBack) {
    ShortLoop loop{.first_block_waits = false};
    loop.run(40, 30000, 30500);
    EXPECT_GT(loop.left, 0) << "what leaving saves decides";
    loop.run(200, 32000, 25000);
    EXPECT_GT(loop.with_guided, 100);
}

// Guided begins with a chunk that holds all the work, so static is not behind it, and others have to be tried.
TEST(Auto, AShortLoopThatIsOutOfBalanceFromSomeTimeOnIsNotLeftForWhatItWasBefore) {
    ShortLoop loop{.first_block_waits = false};
    loop.least_part = 0.99;
    loop.run(20, 30000, 33000);
    EXPECT_GT(loop.left, 5);
    loop.least_part = 0.1;
    loop.others_ns = 30000;
    for (const double guided_ns : {51000.0, 49500.0}) {
        loop.run(300, 50000, guided_ns);
        loop.run(300, 50000, guided_ns);
        EXPECT_EQ(loop.left, 0) << guided_ns;
        EXPECT_LT(loop.with_static, 30) << guided_ns;
    }
}

// Static's threads yield to whatever wants their cores each time that they wait for each other.
TEST(Auto, ALoopIsTakenBackForAsLongAsItsCoresAreShared) {
    ShortLoop loop{.first_block_waits = false};
    loop.run(300, 30000, 36000);
    EXPECT_GT(loop.left, 100);
    loop.context.shared_cores = true;
    loop.run(300, 30000, 36000);
    EXPECT_EQ(loop.left, 0);
    EXPECT_EQ(loop.with_static, 0);
    loop.context.shared_cores = false;
    loop.run(300, 30000, 36000);
    EXPECT_GT(loop.left, 100);
}

// Nobody may steal there, and a first chunk of a quarter of the loop may hold all the work.
TEST(Auto, WhereCoresAreSharedALoopInOrderGetsSmallChunks) {
    ShortLoop loop{.first_block_waits = false};
    loop.context.monotonic = true;
    loop.context.shared_cores = true;
    loop.run(3, 30000, 25000);  // how long it takes is not known before
    loop.run(20, 30000, 25000);
    EXPECT_EQ(loop.with_guided + loop.with_gss + loop.with_static, 0);
    const Decision decision = loop.selector->choose(loop.context);
    EXPECT_TRUE(decision.schedule.technique->info().monotonic);
    EXPECT_GT(decision.schedule.chunk, 1U);
    EXPECT_LE(decision.schedule.chunk, 1000U / 8);
}

TEST(Auto, GuidedIsTriedAgainstStaticWhenTheCoresAreItsOwn) {
    ShortLoop loop{.first_block_waits = false};
    loop.run(5, 30000, 25000);
    ASSERT_EQ(loop.with_guided, 1) << "the trial is under way";
    loop.context.shared_cores = true;
    loop.run(50, 30000, 90000);
    EXPECT_EQ(loop.with_static + loop.with_guided, 0);
    loop.context.shared_cores = false;
    loop.run(300, 30000, 25000);
    EXPECT_GT(loop.with_guided, 200);
}

TEST(Auto, WhatRanOnSharedCoresIsNotHeldAgainstALoopThatIsLeft) {
    ShortLoop loop{.first_block_waits = false};
    loop.run(300, 30000, 36000);
    ASSERT_GT(loop.left, 100);
    loop.context.shared_cores = true;
    loop.run(50, 30000, 4'000'000);
    loop.context.shared_cores = false;
    loop.run(100, 30000, 36000);
    EXPECT_GT(loop.left, 40);
}

// Static seems to lose nothing in this loop, so it gets a row of executions.
TEST(Auto, ARowOfStaticEndsWhereCoresAreShared) {
    const std::unique_ptr<Selector> selector = make_auto(1, false);
    ChunkCosts costs;
    costs.prepare(1000, 100);
    costs.add({0, 1000}, 100000);
    const ChunkCosts* const seen[] = {&costs};
    CostProfile profile;
    profile.learn(seen);
    LoopContext context{.iterations = 1000,
                        .workers = 2,
                        .dispatch = 10,
                        .iteration_time = 100,
                        .profile = &profile,
                        .profile_version = 1};
    const auto run = [&] {
        const Decision decision = selector->choose(context);
        selector->learn(decision, {.iterations = 1000, .loop_time = 50000, .busy_max = 50000, .busy_mean = 49000},
                        context);
        return decision.schedule.technique->info().name;
    };
    int before = 0;
    while (run() != "static") ASSERT_LT(++before, 200) << "no row";
    ASSERT_EQ(run(), "static");
    context.shared_cores = true;
    for (int k = 0; k < 50; ++k) ASSERT_NE(run(), "static") << k;
    context.shared_cores = false;
    int with_static = 0;
    for (int k = 0; k < 4; ++k) with_static += run() == "static" ? 1 : 0;
    EXPECT_LE(with_static, 1) << "a single trial at most: the incumbent is seen first";
    before = 0;
    while (run() != "static") ASSERT_LT(++before, 200) << "no other row";
}

}  // namespace
