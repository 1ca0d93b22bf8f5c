// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/shared_cores.hpp"

#include <gtest/gtest.h>

namespace {

using gimbal::SharingRate;

TEST(SharingRate, IsKnownFromTheSecondLookOn) {
    SharingRate rate;
    EXPECT_EQ(rate.look(5, 1000), 0) << "what was before nobody knows";
    EXPECT_NEAR(rate.look(5.02, 1003), 150, 1e-6);
    EXPECT_NEAR(rate.look(5.12, 1023), 200, 1e-6);
}

TEST(SharingRate, WaitsForMoreThanAnEventOrTwo) {
    SharingRate rate;
    rate.look(0, 0);
    EXPECT_EQ(rate.look(0.02, 2), 0) << "these may be chance";
    EXPECT_EQ(rate.look(0.04, 2), 0);
    EXPECT_NEAR(rate.look(0.05, 10), 200, 1e-6);
    EXPECT_NEAR(rate.look(0.07, 10), 200, 1e-6) << "nothing for so short a time is chance, too";
    EXPECT_NEAR(rate.look(0.15, 11), 10, 1e-6);
}

TEST(SharingRate, AChildCountsAnew) {
    SharingRate rate;
    rate.look(0, 1000);
    rate.look(0.1, 1010);
    EXPECT_NEAR(rate.look(0.2, 5), 100, 1e-6) << "nothing is known about that while";
    EXPECT_NEAR(rate.look(0.3, 25), 200, 1e-6);
}

TEST(SharedCores, AreNotKnownAtOnce) {
    EXPECT_FALSE(gimbal::cores_are_shared(2));
}

}  // namespace
