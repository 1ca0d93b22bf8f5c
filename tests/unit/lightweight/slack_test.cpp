// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/slack.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "region_simulation.hpp"

namespace {

using namespace gimbal;

constexpr RegionModel kRegion{.iterations = 16000, .workers = 16, .iteration_time = 1, .dequeue = 0.1};

/// Predicts what it is told, while it lives.
class FakeProvider final : public SlackProvider {
public:
    FakeProvider() { set_slack_provider(this); }
    ~FakeProvider() { set_slack_provider(nullptr); }
    FakeProvider(const FakeProvider&) = delete;
    FakeProvider& operator=(const FakeProvider&) = delete;

    std::optional<double> slack() noexcept override { return prediction; }

    std::optional<double> prediction;
};

double adjusted(double base, SlackForm form = SlackForm::tight) {
    return slack_adjusted_fraction(base, kRegion, form);
}

TEST(Slack, WithoutAProviderChangesNothing) {
    for (double base = 0; base <= 1; base += 0.01) EXPECT_EQ(adjusted(base), base);
}

TEST(Slack, UnknownOrNoneChangesNothing) {
    FakeProvider provider;
    for (double base = 0; base <= 1; base += 0.01) {
        for (const std::optional<double> slack :
             {std::optional<double>(), std::optional(0.0), std::optional(-5.0), std::optional(std::nan(""))}) {
            provider.prediction = slack;
            EXPECT_EQ(adjusted(base), base);
            EXPECT_EQ(adjusted(base, SlackForm::paper), base);
        }
    }
}

TEST(Slack, IsSpentOnStaticWork) {
    FakeProvider provider;
    provider.prediction = 50;
    const double base = 1 - dynamic_fraction(kRegion, 100, FractionForm::paper);
    EXPECT_NEAR(1 - adjusted(base, SlackForm::paper), 0.0872, 5e-5);
    EXPECT_NEAR(1 - adjusted(base, SlackForm::tight), 0.0409, 5e-5);
    provider.prediction = 1e6;
    EXPECT_EQ(adjusted(base, SlackForm::paper), 1);
    EXPECT_EQ(adjusted(base, SlackForm::tight), 1);
}

TEST(Slack, AProviderTakenAwayIsNotAsked) {
    { FakeProvider{}.prediction = 1e6; }
    EXPECT_EQ(adjusted(0.5), 0.5);
}

TEST(Slack, DoesNotRatchet) {
    // A process that measures its slack every step, has the fraction adjusted by it, and rebases what it measures.
    FakeProvider provider;
    const double delay = 300;
    const RegionModel region{.iterations = 64000, .workers = 16, .iteration_time = 1, .dequeue = 0.1};
    const double base = 1 - dynamic_fraction(region, delay, FractionForm::paper);
    const double others_finish = region.ideal_time() + (1 - base) * region.dequeue_time() + 100;
    double used = base;
    for (int step = 0; step < 100; ++step) {
        // No noise in this step: what it waits for the others is its slack.
        const double measured = others_finish - gimbal::test::finish_of(region, used, 0);
        provider.prediction = rebased_slack(region, measured, 1 - base, 1 - used);
        used = slack_adjusted_fraction(base, region, SlackForm::tight);
        EXPECT_NEAR(*provider.prediction, 100, 2) << "step " << step;
        EXPECT_NEAR(used, base + 100 / region.ideal_time(), 0.001) << "step " << step;
    }
    provider.prediction = 0;
    EXPECT_EQ(slack_adjusted_fraction(base, region, SlackForm::tight), base);
}

}  // namespace
