// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/shared_cores.hpp"

#include <gtest/gtest.h>

namespace {

using gimbal::OffCore;
using gimbal::WaitingPart;

TEST(WaitingPart, IsThatSinceTheLastLook) {
    WaitingPart part;
    EXPECT_EQ(part.look(5, 3), 0) << "what was before nobody knows";
    EXPECT_NEAR(part.look(5.02, 3.01), 0.5, 1e-6);
    EXPECT_NEAR(part.look(5.12, 3.01), 0, 1e-6);
}

TEST(WaitingPart, IsNotKnownWhereThreadsHaveGone) {
    WaitingPart part;
    part.look(0, 4);
    EXPECT_EQ(part.look(0.02, 1), 0) << "a child of fork(), or a thread has ended";
    EXPECT_NEAR(part.look(0.04, 1.005), 0.25, 1e-6);
}

TEST(WaitingPart, BeginsAnew) {
    WaitingPart part;
    part.look(0, 4);
    EXPECT_TRUE(part.begun());
    part.forget();
    EXPECT_FALSE(part.begun());
    EXPECT_EQ(part.look(10, 9), 0);
    EXPECT_NEAR(part.look(10.02, 9.01), 0.5, 1e-6);
}

TEST(OffCore, IsLittleWhereThreadsSpin) {
    OffCore off;
    EXPECT_EQ(off.look(100, 2, 50), 1) << "not known at first";
    EXPECT_NEAR(off.look(100.02, 2, 50.04), 0, 1e-6);
    EXPECT_NEAR(off.look(100.04, 2, 50.07), 0.5, 1e-6) << "one of the two was off its core half of the time";
    EXPECT_NEAR(off.look(100.06, 2, 50.07), 2, 1e-6) << "both have slept";
}

TEST(OffCore, IsNotKnownOfOtherThreads) {
    OffCore off;
    off.look(100, 2, 50);
    EXPECT_EQ(off.look(100.02, 3, 50.04), 1);
    EXPECT_NEAR(off.look(100.04, 3, 50.10), 0, 1e-6);
}

TEST(SharedCores, AreNotKnownAtOnce) {
    EXPECT_FALSE(gimbal::cores_are_shared(2));
}

}  // namespace
