// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/shared_cores.hpp"

#include <gtest/gtest.h>

namespace {

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

TEST(SharedCores, AreNotKnownAtOnce) {
    EXPECT_FALSE(gimbal::cores_are_shared(2));
}

}  // namespace
