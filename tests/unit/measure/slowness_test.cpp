// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/slowness.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using gimbal::ChunkCosts;
using gimbal::CostProfile;
using gimbal::Slowness;

constexpr std::uint64_t kIterations = 1000;

/// Two workers, half the loop each, that take the given time per iteration.
struct Halves {
    std::vector<ChunkCosts> costs{2};
    std::vector<const ChunkCosts*> seen{&costs[0], &costs[1]};

    Halves(double first, double second) {
        for (ChunkCosts& one : costs) one.prepare(kIterations, 100);
        costs[0].add({0, 500}, 500 * first);
        costs[1].add({500, 1000}, 500 * second);
    }
};

class Slow : public testing::Test {
protected:
    void SetUp() override { profile_.learn(Halves(1, 1).seen); }
    CostProfile profile_;
    Slowness slowness_;
};

TEST_F(Slow, NobodyDiffersWhenAllTakeWhatTheProfileSays) {
    for (int i = 0; i < 5; ++i) slowness_.add(profile_.compare(Halves(1.2, 1).seen));
    EXPECT_TRUE(slowness_.factors().empty());
    EXPECT_TRUE(slowness_.weights().empty());
}

TEST_F(Slow, AWorkerThatTakesTwiceAsLongGetsHalfAsMuch) {
    for (int i = 0; i < 3; ++i) slowness_.add(profile_.compare(Halves(2, 1).seen));
    ASSERT_EQ(slowness_.weights().size(), 2U);
    EXPECT_NEAR(slowness_.factors()[0] / slowness_.factors()[1], 2, 1e-9);
    EXPECT_NEAR(slowness_.weights()[1] / slowness_.weights()[0], 2, 1e-9);
    EXPECT_NEAR(slowness_.weights()[0] + slowness_.weights()[1], 2, 1e-9);
}

TEST_F(Slow, OneInterruptionDoesNotCount) {
    for (int i = 0; i < 3; ++i) slowness_.add(profile_.compare(Halves(1, 1).seen));
    slowness_.add(profile_.compare(Halves(9, 1).seen));
    EXPECT_TRUE(slowness_.factors().empty());
}

TEST_F(Slow, AMachineThatIsSlowerAsAWholeHasNoSlowWorker) {
    for (int i = 0; i < 3; ++i) slowness_.add(profile_.compare(Halves(3, 3).seen));
    EXPECT_TRUE(slowness_.factors().empty());
}

TEST_F(Slow, NothingIsKnownWithoutAProfile) {
    for (int i = 0; i < 3; ++i) slowness_.add(CostProfile{}.compare(Halves(2, 1).seen));
    EXPECT_TRUE(slowness_.factors().empty());
}

TEST_F(Slow, TheProfileDividesItOut) {
    const std::vector<double> twice{2, 1};
    CostProfile profile;
    profile.learn(Halves(2, 1).seen, twice);
    EXPECT_NEAR(profile.before(0.5), 500, 1e-6);
    EXPECT_NEAR(profile.total(), 1000, 1e-6);
}

}  // namespace
