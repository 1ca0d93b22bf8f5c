// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/cost_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace {

using gimbal::ChunkCosts;
using gimbal::CostProfile;
using gimbal::Range;

/// What one worker saw that executed [0, N) in chunks of the given size; `cost` is the time of a range.
ChunkCosts execution(std::uint64_t n, std::size_t bins, std::uint64_t chunk, const std::function<double(Range)>& cost) {
    ChunkCosts costs;
    costs.prepare(n, bins);
    for (std::uint64_t first = 0; first < n;) {
        const std::uint64_t end = first + std::min(chunk, n - first);
        costs.add({first, end}, cost({first, end}));
        first = end;
    }
    return costs;
}

void learn(CostProfile& profile, const ChunkCosts& costs) {
    const ChunkCosts* const workers[] = {&costs};
    profile.learn(workers);
}

double flat(Range range) {
    return static_cast<double>(range.size());
}

/// Iteration i costs i + 1/2.
double rising(Range range) {
    const auto a = static_cast<double>(range.first);
    const auto b = static_cast<double>(range.end);
    return (b * b - a * a) / 2;
}

TEST(CostProfile, KnowsNothingAtFirst) {
    const CostProfile profile;
    EXPECT_FALSE(profile.known());
    EXPECT_EQ(profile.total(), 0);
    EXPECT_EQ(profile.before(0.5), 0);
    EXPECT_EQ(profile.position(1), 0);
}

TEST(CostProfile, HasAsManyBinsAsMakeSense) {
    EXPECT_EQ(CostProfile::bins_for(0, 4), 1u);
    EXPECT_EQ(CostProfile::bins_for(1, 4), 1u);
    EXPECT_EQ(CostProfile::bins_for(100, 4), 100u);
    EXPECT_EQ(CostProfile::bins_for(1u << 20, 4), 256u);
    EXPECT_GT(CostProfile::bins_for(1u << 20, 1000), 256u);
    EXPECT_LE(CostProfile::bins_for(~std::uint64_t{0}, ~std::uint32_t{0}), 1u << 20);
}

TEST(CostProfile, TotalIsTheSumOfTheTimesWhateverTheChunks) {
    std::mt19937_64 random(7);
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{1023}, std::uint64_t{100003}}) {
        for (const std::uint64_t chunk : {std::uint64_t{1}, std::uint64_t{37}, n}) {
            double sum = 0;
            const auto costs = execution(n, CostProfile::bins_for(n, 2), chunk, [&](Range) {
                const double time = std::uniform_real_distribution<double>(0, 100)(random);
                sum += time;
                return time;
            });
            CostProfile profile;
            learn(profile, costs);
            EXPECT_NEAR(profile.total(), sum, 1e-6 * sum) << n << " in chunks of " << chunk;
            EXPECT_EQ(profile.before(1), profile.total());
        }
    }
}

TEST(CostProfile, SumsOverWorkers) {
    ChunkCosts one;
    ChunkCosts other;
    one.prepare(100, 10);
    other.prepare(100, 10);
    one.add({0, 45}, 45);
    other.add({45, 100}, 110);
    const ChunkCosts* const workers[] = {&one, &other};
    CostProfile profile;
    profile.learn(workers);
    EXPECT_NEAR(profile.total(), 155, 1e-9);
    EXPECT_NEAR(profile.before(0.4), 40, 1e-9);
    EXPECT_NEAR(profile.before(0.5) - profile.before(0.4), 5 * 1 + 5 * 2, 1e-9) << "the bin that both touched";
}

TEST(CostProfile, BeforeAndPositionAreInverseAndMonotone) {
    std::mt19937_64 random(3);
    const auto costs = execution(1 << 20, 1024, 300, [&](Range range) {
        return flat(range) * std::exp(std::normal_distribution<double>(0, 1)(random));
    });
    CostProfile profile;
    learn(profile, costs);
    double last_cost = -1;
    double last_position = -1;
    for (int k = 0; k <= 5000; ++k) {
        const double x = k / 5000.0;
        ASSERT_NEAR(profile.position(profile.before(x)), x, 1e-9);
        ASSERT_NEAR(profile.before(profile.position(x * profile.total())), x * profile.total(), 1e-9 * profile.total());
        ASSERT_GT(profile.before(x), last_cost);
        ASSERT_GT(profile.position(x * profile.total()), last_position);
        last_cost = profile.before(x);
        last_position = profile.position(x * profile.total());
    }
    EXPECT_EQ(profile.position(0), 0);
    EXPECT_EQ(profile.position(profile.total()), 1);
    EXPECT_EQ(profile.position(2 * profile.total()), 1);
    EXPECT_EQ(profile.before(-1), 0);
    EXPECT_EQ(profile.before(2), profile.total());
    EXPECT_EQ(profile.before(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(CostProfile, PositionsStayInverseWhereIterationsCostNothing) {
    const auto costs = execution(100, 10, 10, [](Range range) { return range.first == 50 ? 10.0 : 0.0; });
    CostProfile profile;
    learn(profile, costs);
    EXPECT_NEAR(profile.total(), 10, 1e-12);
    EXPECT_EQ(profile.position(0), 0);
    EXPECT_NEAR(profile.position(5), 0.55, 1e-12);
    EXPECT_EQ(profile.position(10), 1);
}

TEST(CostProfile, OneInterruptedExecutionDoesNotMoveIt) {
    for (int interrupted = 0; interrupted < 6; ++interrupted) {
        CostProfile profile;
        for (int step = 0; step < 6; ++step) {
            learn(profile, execution(10000, 100, 10, [&](Range range) {
                      const bool hit = step == interrupted && range.first >= 3000 && range.first < 4000;
                      return flat(range) * (hit ? 50 : 1);
                  }));
            if (step == 0) continue;  // one measurement is all there is
            EXPECT_NEAR(profile.total(), 10000, 1e-6) << "hit in " << interrupted << ", seen after " << step;
            EXPECT_NEAR(profile.before(0.4) - profile.before(0.3), 1000, 1e-6);
        }
    }
}

const auto drifted = [](int step) { return [step](Range range) { return flat(range) * (1 + 0.1 * step); }; };

TEST(CostProfile, FollowsADriftOneExecutionLateUntilItIsSeenToBeOne) {
    CostProfile profile;
    for (int step = 0; step < 2; ++step) learn(profile, execution(10000, 100, 7, drifted(step)));
    EXPECT_NEAR(profile.total(), 10000, 1e-2) << "as the execution before the last one";
    for (int step = 2; step < 10; ++step) learn(profile, execution(10000, 100, 7, drifted(step)));
    EXPECT_NEAR(profile.total(), 10000 * (1 + 0.1 * 9), 1e-2) << "as the last one";
}

TEST(CostProfile, OnceADriftIsOverInterruptionsDoNotMoveIt) {
    CostProfile profile;
    for (int step = 0; step < 10; ++step) learn(profile, execution(10000, 100, 7, drifted(step)));
    for (int step = 0; step < 12; ++step) {
        learn(profile, execution(10000, 100, 7, [&](Range range) {
                  return drifted(9)(range) * (range.first / 1000 == static_cast<std::uint64_t>(step % 5) * 2 ? 3 : 1);
              }));
    }
    EXPECT_NEAR(profile.total(), 10000 * (1 + 0.1 * 9), 1e-2);
}

TEST(CostProfile, OfMeasurementsThatDifferByChanceTheMedianCounts) {
    CostProfile profile;
    std::mt19937 chance(5);
    std::uniform_real_distribution<double> factor(0.9, 1.1);
    double error = 0;
    constexpr int kSteps = 40;
    for (int step = 0; step < kSteps; ++step) {
        learn(profile, execution(10000, 100, 7, [&](Range range) { return flat(range) * factor(chance); }));
        if (step < kSteps / 2) continue;
        for (int k = 0; k < 100; ++k)
            error += std::abs(profile.before(0.01 * (k + 1)) - profile.before(0.01 * k) - 100) / (100 * 100);
    }
    EXPECT_LT(error / (kSteps / 2.0), 0.04)
        << "one measurement is off by 0.05 in the mean, a median of three by 0.0375";
}

TEST(CostProfile, AnInterruptionMakesNothingVanish) {
    CostProfile profile;
    for (int i = 0; i < 3; ++i) learn(profile, execution(1000, 100, 10, rising));
    const ChunkCosts interrupted =
        execution(1000, 100, 10, [](Range range) { return rising(range) + (range.first == 500 ? 1e6 : 0); });
    const ChunkCosts* const workers[] = {&interrupted};
    EXPECT_NEAR(vanished_part(profile.compare(workers)), 0, 1e-9);
}

TEST(CostProfile, AReversedLoopHasPartlyVanishedAndIsKnownAfterOneExecution) {
    CostProfile profile;
    for (int i = 0; i < 3; ++i) learn(profile, execution(1000, 100, 10, rising));
    const auto falling = [](Range range) { return 1000 * flat(range) - rising(range); };
    const ChunkCosts reversed = execution(1000, 100, 10, falling);
    const ChunkCosts* const workers[] = {&reversed};
    EXPECT_NEAR(vanished_part(profile.compare(workers)), 0.5, 0.01);
    profile.doubt();
    learn(profile, reversed);
    EXPECT_NEAR(profile.before(0.5), 375000, 1000) << "three quarters of the cost in the first half";
}

TEST(CostProfile, StretchesWhenTheLoopGetsLonger) {
    CostProfile profile;
    for (int step = 0; step < 3; ++step) learn(profile, execution(1000, 10, 9, rising));
    const double half = profile.position(profile.total() / 2);
    learn(profile, execution(2000, 10, 9, [](Range range) { return rising(range) / 2; }));  // same shape, same average
    EXPECT_NEAR(profile.position(profile.total() / 2), half, 0.01);
    EXPECT_NEAR(profile.total(), rising({0, 2000}) / 2, 0.01 * profile.total()) << "of as many iterations as last time";
}

TEST(CostProfile, KeepsItsShapeWhenTheNumberOfBinsChanges) {
    for (const std::size_t bins : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1000}}) {
        CostProfile profile;
        for (int step = 0; step < 3; ++step) learn(profile, execution(100000, 100, 100, rising));
        const double total = profile.total();
        ChunkCosts nothing;  // an execution that no chunk was timed in
        nothing.prepare(100000, bins);
        learn(profile, nothing);
        ASSERT_TRUE(profile.known());
        EXPECT_NEAR(profile.total(), total, 1e-9 * total) << bins;
        for (const double x : {0.25, 0.5, 0.75}) {
            EXPECT_NEAR(profile.before(x), total * x * x, total * (0.001 + 0.5 / static_cast<double>(bins))) << bins;
        }
    }
}

TEST(CostProfile, CountsAPartOfABinWithTheCostOfThatPart) {
    ChunkCosts costs;
    costs.prepare(100, 10);
    costs.add({0, 95}, 95);  // the last bin: half of it
    CostProfile profile;
    learn(profile, costs);
    EXPECT_NEAR(profile.total(), 100, 1e-9);
}

TEST(CostProfile, GivesBinsThatWereNeverSeenTheMeanOfTheirNeighbours) {
    ChunkCosts costs;
    costs.prepare(100, 10);
    costs.add({20, 30}, 10);
    costs.add({60, 70}, 30);
    CostProfile profile;
    learn(profile, costs);
    EXPECT_NEAR(profile.before(0.2), 20, 1e-9) << "as the first one seen";
    EXPECT_NEAR(profile.before(0.6) - profile.before(0.3), 30 * 2, 1e-9) << "between cost 1 and cost 3";
    EXPECT_NEAR(profile.before(1) - profile.before(0.7), 30 * 3, 1e-9) << "as the last one seen";
}

TEST(CostProfile, LearnsNothingFromAnEmptyExecution) {
    CostProfile profile;
    learn(profile, execution(0, 1, 1, flat));
    EXPECT_FALSE(profile.known());
    learn(profile, execution(10, 10, 1, flat));
    learn(profile, execution(0, 1, 1, flat));
    EXPECT_NEAR(profile.total(), 10, 1e-12);
    profile.learn({});
    EXPECT_NEAR(profile.total(), 10, 1e-12);
}

TEST(CostProfile, ServesLoopsOfOneIterationAndOfFewerThanBins) {
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}}) {
        CostProfile profile;
        learn(profile, execution(n, CostProfile::bins_for(n, 4), 1, rising));
        for (std::uint64_t i = 0; i <= n; ++i) {
            const double cost = rising({0, i});
            EXPECT_NEAR(profile.before(static_cast<double>(i) / static_cast<double>(n)), cost, 1e-9);
        }
    }
}

TEST(CostProfile, ServesTheLongestLoops) {
    for (const std::uint64_t n : {std::uint64_t{1} << 48, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        CostProfile profile;
        learn(profile, execution(n, 1000, n / 777, flat));
        EXPECT_NEAR(profile.total() / static_cast<double>(n), 1, 1e-9);
        EXPECT_NEAR(profile.position(profile.total() / 3), 1.0 / 3, 1e-9);
    }
}

TEST(ChunkCosts, BeginsAnewWhenPrepared) {
    ChunkCosts costs = execution(1000, 100, 3, flat);
    costs.prepare(1000, 100);
    CostProfile profile;
    learn(profile, costs);
    EXPECT_FALSE(profile.known());
    costs.prepare(500, 200);
    costs.add({0, 500}, 500);
    costs.prepare(1000, 64);
    costs.add({0, 1000}, 1);
    learn(profile, costs);
    EXPECT_NEAR(profile.total(), 1, 1e-6);
}

TEST(ChunkCosts, IgnoresEmptyChunks) {
    ChunkCosts costs;
    costs.prepare(10, 10);
    costs.add({5, 5}, 100);
    CostProfile profile;
    learn(profile, costs);
    EXPECT_FALSE(profile.known());
}

TEST(CostProfile, PartsOfALoopAddUpToTheWhole) {
    constexpr std::uint64_t kN = 4000;
    CostProfile whole;
    for (std::uint64_t first = 0; first < kN; first += 500) {
        const ChunkCosts part = execution(500, 64, 10, [first](Range range) {
            return rising({range.first + first, range.end + first});
        });
        const ChunkCosts* const workers[] = {&part};
        whole.learn_part(workers, first, kN);
    }
    EXPECT_NEAR(whole.total(), rising({0, kN}), 1e-3 * rising({0, kN}));
    EXPECT_NEAR(whole.before(0.5), rising({0, kN / 2}), 1e-2 * rising({0, kN / 2}));
}

TEST(CostProfile, ShowsAPartOfAnother) {
    constexpr std::uint64_t kN = 4000;
    CostProfile whole;
    learn(whole, execution(kN, 500, 8, rising));
    CostProfile part;
    part.show(whole, {3000, 4000}, kN, 100);
    ASSERT_TRUE(part.known());
    EXPECT_EQ(part.iterations(), 1000);
    EXPECT_NEAR(part.total(), rising({3000, 4000}), 1e-6 * rising({3000, 4000}));
    EXPECT_NEAR(part.before(0.5), rising({3000, 3500}), 1e-3 * rising({3000, 3500}));
    EXPECT_NEAR(part.position(part.total() / 2), 0.5, 0.05);
}

}  // namespace
