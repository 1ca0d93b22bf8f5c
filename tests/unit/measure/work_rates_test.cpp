// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/work_rates.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "measure/placement.hpp"
#include "measure/slowness.hpp"

namespace {

using namespace gimbal;

constexpr std::uint64_t kIterations = 1000;
constexpr double kLeastUsual = 0.8;

LossByCause loss_of(const std::vector<double>& work, const std::vector<double>& time) {
    return loss_by_cause(work, time, kLeastUsual);
}

TEST(LossByCause, MoreWorkOnTheLateWorkerIsUnequalWork) {
    const LossByCause loss = loss_of({10, 10, 10, 30}, {10, 10, 10, 30});
    EXPECT_DOUBLE_EQ(loss.time, 15);
    EXPECT_DOUBLE_EQ(loss.work, 15);
    EXPECT_DOUBLE_EQ(loss.rate, 0);
}

TEST(LossByCause, TheSameWorkAtALowerRateIsTheWorkersCore) {
    const LossByCause loss = loss_of({10, 10, 10, 10}, {10, 10, 10, 30});
    EXPECT_DOUBLE_EQ(loss.work, 0);
    EXPECT_DOUBLE_EQ(loss.rate, 5);
}

TEST(LossByCause, BothAreToldApart) {
    // The last one has twice the work, and takes three times as long for it.
    const LossByCause loss = loss_of({10, 10, 10, 20}, {10, 10, 10, 60});
    EXPECT_DOUBLE_EQ(loss.work, 7.5);
    EXPECT_DOUBLE_EQ(loss.rate, 10);
}

TEST(LossByCause, ASlowWorkerThatGetsLessStillLosesItsRate) {
    const LossByCause loss = loss_of({12, 12, 12, 4}, {12, 12, 12, 12});
    EXPECT_DOUBLE_EQ(loss.rate, 2);
    EXPECT_DOUBLE_EQ(loss.work, 12 - 10) << "at equal rates it would have ended early";
}

TEST(LossByCause, OneOfTwoCanBeSlow) {
    EXPECT_DOUBLE_EQ(loss_of({10, 10}, {20, 10}).rate, 5);
}

TEST(LossByCause, RatesThatAreAlikeAreNoise) {
    const LossByCause loss = loss_of({10, 10, 10}, {10, 11, 10.5});
    EXPECT_DOUBLE_EQ(loss.rate, 0);
    EXPECT_DOUBLE_EQ(loss.work, 0.5) << "their times are taken as they are";
}

TEST(LossByCause, FewerThanTwoWorkersThatWorkedShowNothing) {
    EXPECT_EQ(loss_of({}, {}).time, 0);
    EXPECT_EQ(loss_of({10}, {10}).time, 0);
    EXPECT_EQ(loss_of({10, 0}, {10, 0}).time, 0);
}

/// Two workers, half of a loop of equal iterations each, that take so much per iteration.
struct Halves {
    std::vector<ChunkCosts> costs{2};
    std::vector<const ChunkCosts*> seen{&costs[0], &costs[1]};

    Halves(double first, double second) {
        for (ChunkCosts& one : costs) one.prepare(kIterations, 100);
        costs[0].add({0, 500}, 500 * first);
        costs[1].add({500, 1000}, 500 * second);
    }
    Halves& count(std::uint64_t first, std::uint64_t second) {
        costs[0].instructions = first;
        costs[1].instructions = second;
        return *this;
    }
};

class Rates : public testing::Test {
protected:
    void SetUp() override { profile_.learn(Halves(1, 1).seen); }
    LossByCause add(const Halves& halves) { return add_to(rates_, halves); }
    LossByCause add_to(WorkRates& rates, const Halves& halves) {
        return rates.add(halves.seen, profile_.compare(halves.seen));
    }
    CostProfile profile_;
    WorkRates rates_;
};

TEST_F(Rates, AreRelativeToTheMedianByWhatTheProfileSays) {
    for (int i = 0; i < 3; ++i) add(Halves(2, 1));
    EXPECT_FALSE(rates_.by_instructions());
    EXPECT_NEAR(rates_.rates()[0], 0.5, 1e-9);
    EXPECT_NEAR(rates_.rates()[1], 1, 1e-9);
}

TEST_F(Rates, TellTheSameWorkersApartAsSlowness) {
    for (const double longer : {1.3, 1.4, 1.5}) {
        WorkRates rates;
        Slowness slowness;
        LossByCause loss;
        for (int i = 0; i < 3; ++i) {
            loss = add_to(rates, Halves(longer, 1));
            slowness.add(profile_.compare(Halves(longer, 1).seen));
        }
        const bool is_slow = longer > 1.35;
        EXPECT_EQ(!slowness.factors().empty(), is_slow) << longer;
        EXPECT_EQ(loss.rate > 0, is_slow) << longer;
        EXPECT_EQ(rates.rates()[0] < rates.least_usual(), is_slow) << longer;
    }
}

TEST_F(Rates, AreNotKnownFromOneExecution) {
    add(Halves(2, 1));
    EXPECT_EQ(rates_.rates()[0], 0);
}

TEST_F(Rates, GoByInstructionsWhereAllAreCounted) {
    // Its half takes twice as long since it has twice the instructions: more work, not a slow core.
    LossByCause loss;
    for (int i = 0; i < 3; ++i) loss = add(Halves(2, 1).count(2'000'000, 1'000'000));
    EXPECT_TRUE(rates_.by_instructions());
    EXPECT_NEAR(rates_.rates()[0], 1, 1e-9);
    EXPECT_EQ(loss.rate, 0);
    EXPECT_GT(loss.work, 0.3 * loss.time);
    // As many as the other one, in twice the time.
    WorkRates other;
    for (int i = 0; i < 3; ++i) loss = add_to(other, Halves(2, 1).count(1'000'000, 1'000'000));
    EXPECT_NEAR(other.rates()[0], 0.5, 1e-9);
    EXPECT_EQ(loss.work, 0);
    EXPECT_GT(loss.rate, 0.3 * loss.time);
}

TEST_F(Rates, GoByTheProfileWhereOneIsNotCounted) {
    for (int i = 0; i < 3; ++i) add(Halves(2, 1).count(1'000'000, 0));
    EXPECT_FALSE(rates_.by_instructions());
    EXPECT_NEAR(rates_.rates()[0], 0.5, 1e-9);
}

TEST_F(Rates, SayWhereAWorkerRanIfItStayedThere) {
    for (int i = 0; i < 3; ++i) {
        Halves halves(1, 1);
        halves.costs[0].processor = 5;
        halves.costs[1].processor = i;
        add(halves);
    }
    EXPECT_EQ(rates_.processor(0), 5);
    EXPECT_LT(rates_.processor(1), 0);
    EXPECT_LT(rates_.processor(2), 0) << "there is none";
}

TEST_F(Rates, AreNotKnownWithoutEither) {
    profile_ = {};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(add(Halves(2, 1)).time, 0);
    EXPECT_TRUE(rates_.rates().empty());
}

TEST(ThreadInstructions, AreTheReadersOrNone) {
    EXPECT_EQ(thread_instructions(), 0U);
    set_instruction_reader(+[]() noexcept -> std::uint64_t { return 42; });
    EXPECT_EQ(thread_instructions(), 42U);
    set_instruction_reader(nullptr);
    EXPECT_EQ(thread_instructions(), 0U);
}

}  // namespace
