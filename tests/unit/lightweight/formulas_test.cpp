// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/formulas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "region_simulation.hpp"

namespace {

using namespace gimbal;
using gimbal::test::finish_of;

/// p = 16, N = 16000, t1 = 1, q = 0.1: T_p = 1000.
constexpr RegionModel kRegion{.iterations = 16000, .workers = 16, .iteration_time = 1, .dequeue = 0.1};

TEST(DynamicFraction, IsWhatTheReferenceComputes) {
    EXPECT_NEAR(dynamic_fraction(kRegion, 100, FractionForm::paper), 0.0909, 5e-5);
    EXPECT_NEAR(dynamic_fraction(kRegion, 100, FractionForm::exact), 0.0852, 5e-5);
}

TEST(DynamicFraction, WithoutDequeueCostIsTheBoundOfASingleDelay) {
    RegionModel region = kRegion;
    region.dequeue = 0;
    // One delay d on one of p workers: the mean is d / p.
    EXPECT_DOUBLE_EQ(1 - dynamic_fraction(region, 100, FractionForm::exact), ipdps_bound(100, 100.0 / 16, 1000));
    EXPECT_DOUBLE_EQ(1 - dynamic_fraction(region, 100, FractionForm::paper), ipdps_bound(100, 0, 1000));
}

TEST(DynamicFraction, DoesNotDependOnTheUnitOfTime) {
    for (const double unit : {1e-9, 3.0, 1e9}) {
        RegionModel region = kRegion;
        region.iteration_time *= unit;
        region.dequeue *= unit;
        for (const FractionForm form : {FractionForm::paper, FractionForm::exact}) {
            EXPECT_DOUBLE_EQ(dynamic_fraction(region, 100 * unit, form), dynamic_fraction(kRegion, 100, form));
        }
    }
}

TEST(DynamicFraction, IsAllForADelayLongerThanTheRegionAndNoneWithoutOneOrWithoutHelpers) {
    for (const FractionForm form : {FractionForm::paper, FractionForm::exact}) {
        EXPECT_EQ(dynamic_fraction(kRegion, 1e6, form), 1);
        EXPECT_EQ(dynamic_fraction({}, 1, form), 0) << "one worker";
        EXPECT_EQ(dynamic_fraction({.iterations = 0, .workers = 4, .iteration_time = 1, .dequeue = 0}, 1, form), 1);
        EXPECT_EQ(dynamic_fraction(kRegion, 0, form), 0);
        EXPECT_EQ(dynamic_fraction(kRegion, -5, form), 0);
    }
}

TEST(DynamicFraction, ExactIsTheOptimumOfAnEventSimulation) {
    struct Case {
        double workers, dequeue, delay;
    };
    constexpr double kGrid = 400;
    for (const Case& one : {Case{4, 0.1, 100}, Case{4, 0.2, 100}, Case{4, 0.5, 200}, Case{16, 0.1, 100},
                            Case{16, 0.1, 160}, Case{16, 0.5, 100}}) {
        const RegionModel region{
            .iterations = one.workers * 1000, .workers = one.workers, .iteration_time = 1, .dequeue = one.dequeue};
        const double exact = dynamic_fraction(region, one.delay, FractionForm::exact);
        double best = 0;
        double best_finish = finish_of(region, 1, one.delay);
        for (double step = 1; step <= kGrid / 4; ++step) {
            const double finish = finish_of(region, 1 - step / kGrid, one.delay);
            if (finish >= best_finish) continue;
            best = step / kGrid;
            best_finish = finish;
        }
        EXPECT_NEAR(best, exact, 1 / kGrid) << one.workers << " workers, dequeue " << one.dequeue;
        // The published form is a little larger and costs little.
        const double published = dynamic_fraction(region, one.delay, FractionForm::paper);
        EXPECT_GT(published, exact);
        EXPECT_LE(finish_of(region, 1 - published, one.delay), 1.02 * best_finish);
    }
}

TEST(SlackFraction, IsWhatTheReferenceComputes) {
    const double base = dynamic_fraction(kRegion, 100, FractionForm::paper);
    EXPECT_NEAR(slack_dynamic_fraction(kRegion, base, 50, SlackForm::paper), 0.0872, 5e-5);
    EXPECT_NEAR(slack_dynamic_fraction(kRegion, base, 50, SlackForm::tight), 0.0409, 5e-5);
}

TEST(SlackFraction, NeverRisesAboveTheBaseAndFallsToNone) {
    for (const SlackForm form : {SlackForm::paper, SlackForm::tight}) {
        EXPECT_EQ(slack_dynamic_fraction(kRegion, 0.3, 0, form), 0.3);
        EXPECT_EQ(slack_dynamic_fraction(kRegion, 0.3, -10, form), 0.3);
        EXPECT_EQ(slack_dynamic_fraction(kRegion, 0.3, 1e9, form), 0);
        double last = 0.3;
        for (double slack = 0; slack < 1000; slack += 10) {
            const double dynamic = slack_dynamic_fraction(kRegion, 0.3, slack, form);
            EXPECT_LE(dynamic, last);
            last = dynamic;
        }
    }
}

TEST(SlackFraction, KeepsTheBaseWhereTheFormulaHasNoDenominator) {
    // (p - 1) t1 / p <= q: every iteration moved to the static part saves more than it can idle.
    const RegionModel dear{.iterations = 100, .workers = 2, .iteration_time = 1, .dequeue = 0.5};
    EXPECT_EQ(slack_dynamic_fraction(dear, 0.4, 10, SlackForm::paper), 0.4);
    EXPECT_LT(slack_dynamic_fraction(dear, 0.4, 10, SlackForm::tight), 0.4);
    EXPECT_EQ(slack_dynamic_fraction({}, 0.4, 10, SlackForm::tight), 0.4) << "a region without length";
}

TEST(SlackFraction, TightMeetsTheDeadlineOfAnEventSimulationWhereItCanBeMet) {
    int reachable = 0;
    for (const double workers : {2.0, 4.0, 16.0}) {
        const RegionModel region{.iterations = workers * 4000, .workers = workers, .iteration_time = 1, .dequeue = 0.1};
        const double delay = 300;
        const double base = dynamic_fraction(region, delay, FractionForm::paper);
        for (const double slack : {30.0, 100.0, 150.0, 200.0}) {
            const double deadline = region.ideal_time() + base * region.dequeue_time() + slack;
            const double dynamic = slack_dynamic_fraction(region, base, slack, SlackForm::tight);
            const double all_work = region.ideal_time() + dynamic * region.dequeue_time() + delay / workers;
            if (all_work > deadline) continue;  // more work than all workers can do until then
            ++reachable;
            EXPECT_LE(finish_of(region, 1 - dynamic, delay), deadline + region.iteration_time + region.dequeue)
                << workers << " workers, slack " << slack;
        }
    }
    EXPECT_GE(reachable, 8);
    // What the published form does with two workers and S = 200.
    const RegionModel pair{.iterations = 8000, .workers = 2, .iteration_time = 1, .dequeue = 0.1};
    const double base = dynamic_fraction(pair, 300, FractionForm::paper);
    const double published = slack_dynamic_fraction(pair, base, 200, SlackForm::paper);
    EXPECT_GT(finish_of(pair, 1 - published, 300), 4227.0 + 40);
}

TEST(RebasedSlack, TakesAwayWhatFewerDequeuesSaved) {
    // (N/p) q = 100
    EXPECT_DOUBLE_EQ(rebased_slack(kRegion, 50, 0.3, 0.1), 50 - 0.2 * 100);
    EXPECT_DOUBLE_EQ(rebased_slack(kRegion, 50, 0.3, 0.3), 50);
    EXPECT_EQ(rebased_slack(kRegion, 5, 0.3, 0.1), 0);
}

TEST(ApplicationDelay, OfTheSeedUnderratesByTwiceTheOverheadAndNeitherIsNegative) {
    EXPECT_DOUBLE_EQ(application_delay(130, 100, 10, DelayForm::seed), 20);
    EXPECT_DOUBLE_EQ(application_delay(130, 100, 10, DelayForm::derived), 40);
    EXPECT_EQ(application_delay(105, 100, 10, DelayForm::seed), 0);
    EXPECT_EQ(application_delay(80, 100, 10, DelayForm::derived), 0);
    // T_p = t_d - t_ov: the derived delay is what the static schedule takes beyond T_p.
    EXPECT_DOUBLE_EQ(application_delay(130, 100, 10, DelayForm::derived), 130 - (100 - 10));
}

TEST(Bound, IsOneWithoutExcessAndZeroWithoutTime) {
    EXPECT_DOUBLE_EQ(ipdps_bound(200, 100, 1000), 0.9);
    EXPECT_EQ(ipdps_bound(100, 100, 1000), 1);
    EXPECT_EQ(ipdps_bound(200, 100, 0), 0);
    EXPECT_EQ(ipdps_bound(2000, 100, 1000), 0);
}

TEST(Formulas, GiveFractionsWhateverGoesIn) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<double> odd{
        0,    1,      2,      -1,         1e308,     std::numeric_limits<double>::denorm_min(),
        1e15, 1e-300, -1e308, -kInfinity, kInfinity, std::nan("")};
    const auto is_fraction = [](double x) { return x >= 0 && x <= 1; };
    for (const double n : odd) {
        for (const double p : odd) {
            for (const double t : odd) {
                for (const double q : odd) {
                    const RegionModel region{.iterations = n, .workers = p, .iteration_time = t, .dequeue = q};
                    for (const double x : odd) {
                        for (const auto form : {FractionForm::paper, FractionForm::exact}) {
                            ASSERT_PRED1(is_fraction, dynamic_fraction(region, x, form));
                        }
                        for (const auto form : {SlackForm::paper, SlackForm::tight}) {
                            ASSERT_PRED1(is_fraction, slack_dynamic_fraction(region, 0.5, x, form));
                            ASSERT_PRED1(is_fraction, slack_dynamic_fraction(region, x, 10, form));
                        }
                        const double rebased = rebased_slack(region, x, 0.5, x);
                        ASSERT_TRUE(std::isfinite(rebased) && rebased >= 0);
                    }
                }
                ASSERT_PRED1(is_fraction, ipdps_bound(n, p, t));
                for (const auto form : {DelayForm::seed, DelayForm::derived}) {
                    const double delay = application_delay(n, p, t, form);
                    ASSERT_TRUE(std::isfinite(delay) && delay >= 0);
                }
            }
        }
    }
}

}  // namespace
