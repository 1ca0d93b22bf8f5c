// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/band.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "decide/running_mean.hpp"
#include "gimbal/random.hpp"

namespace gimbal::pin {
namespace {

TEST(PinBand, BeginsAtTheFirstMeanItSees) {
    Band band(1.25, 0.05);
    EXPECT_FALSE(band.known());
    EXPECT_EQ(band.classify(8), BandEvent::started);
    band.accept(8);
    EXPECT_DOUBLE_EQ(band.upper(), 8);
    EXPECT_DOUBLE_EQ(band.lower(), 6.4);
}

TEST(PinBand, UpperOverLowerIsAlwaysEta) {
    Random random(3);
    Band band(1.4, 0.05);
    for (int i = 0; i < 10000; ++i) {
        band.accept(0.1 + 10 * random.unit());
        ASSERT_NEAR(band.upper() / band.lower(), 1.4, 1e-12);
    }
}

TEST(PinBand, BothBoundariesAreInside) {
    Band band(2, 0);
    band.accept(4);
    EXPECT_EQ(band.classify(4), BandEvent::inside);
    EXPECT_EQ(band.classify(2), BandEvent::inside);
    EXPECT_EQ(band.classify(1.999), BandEvent::dropped);
    EXPECT_EQ(band.classify(4.001), BandEvent::risen);
}

TEST(PinBand, LookingChangesNothing) {
    Band band(1.25, 0.05);
    band.accept(4);
    EXPECT_EQ(band.classify(1), BandEvent::dropped);
    EXPECT_EQ(band.classify(1), BandEvent::dropped);
    band.accept(1);
    EXPECT_EQ(band.classify(1), BandEvent::inside);
}

/// Firings of rule (a) while the mean follows one step from 1 to 0.5, asked at every sample.
int firings_after_a_step(double margin) {
    RunningMean mean(0.05);
    Band band(1.25, margin);
    int firings = 0;
    for (int k = 0; k < 1000; ++k) {
        mean.add(k < 200 ? 1 : 0.5);
        firings += band.classify(mean.value()) == BandEvent::dropped ? 1 : 0;
        band.accept(mean.value());
    }
    return firings;
}

TEST(PinBand, AMarginTurnsTheStormAfterAStepIntoAHandful) {
    EXPECT_GT(firings_after_a_step(0), 100);
    EXPECT_LE(firings_after_a_step(0.05), 10);
    EXPECT_GE(firings_after_a_step(0.05), 1);
    EXPECT_LE(firings_after_a_step(0.1), 6);
}

TEST(PinBand, AStepIsNoticedWithinTheSamplesThatTheFormulaSays) {
    RunningMean mean(0.05);
    Band band(1.25, 0.05);
    mean.add(1);
    band.accept(mean.value());
    int samples = 0;
    while (band.classify(mean.value()) != BandEvent::dropped) {
        mean.add(0.5);
        ++samples;
    }
    EXPECT_EQ(samples, 10);  // ln((1/1.25 - 0.5) / 0.5) / ln 0.95 = 9.96
}

TEST(PinBand, AFallThatStaysAboveThePeakOverEtaIsTolerated) {
    RunningMean mean(0.05);
    Band band(1.25, 0.05);
    for (int k = 0; k < 1000; ++k) {
        mean.add(k < 100 ? 1 : 0.81);
        ASSERT_NE(band.classify(mean.value()), BandEvent::dropped);
        band.accept(mean.value());
    }
}

/// PaRLSched compares with the sample before, and so never notices what comes slowly.
TEST(PinBand, ASlowDeclineIsFollowedWithAFiringNowAndThen) {
    Band band(1.25, 0.05);
    double value = 1;
    int firings = 0;
    for (int k = 0; k < 2000; ++k, value *= 0.999) {
        firings += band.classify(value) == BandEvent::dropped ? 1 : 0;
        band.accept(value);
        ASSERT_GE(value, band.lower() - 1e-12);
    }
    // ln(1 / 0.999^2000) = 2.0 in all; the first fifth and then one per margin of 5 %.
    EXPECT_NEAR(firings, 36, 5);
}

TEST(PinBand, ARiseIsFollowedWithoutAFiring) {
    Band band(1.25, 0.05);
    for (double value = 1; value < 100; value *= 1.01) {
        ASSERT_NE(band.classify(value), BandEvent::dropped);
        band.accept(value);
        ASSERT_GE(band.upper(), value);
    }
}

TEST(PinRunningMean, BeginsAtTheFirstSampleThatTeaches) {
    RunningMean mean(0.1);
    for (const double nothing :
         {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        mean.add(nothing);
    EXPECT_FALSE(mean.known());
    mean.add(5);
    EXPECT_TRUE(mean.known());
    EXPECT_DOUBLE_EQ(mean.value(), 5);
    mean.add(0);
    EXPECT_DOUBLE_EQ(mean.value(), 5);
    mean.add(10);
    EXPECT_DOUBLE_EQ(mean.value(), 5.5);
}

}  // namespace
}  // namespace gimbal::pin
