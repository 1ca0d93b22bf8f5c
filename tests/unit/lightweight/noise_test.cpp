// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/dispatch_cost.hpp"

namespace {

TEST(MachineDelays, AreFiniteAndMeasuredOnce) {
    const gimbal::MachineDelays first = gimbal::machine_delays();
    EXPECT_TRUE(std::isfinite(first.noise));
    EXPECT_GE(first.noise, 0);
    EXPECT_EQ(first.dequeue, gimbal::dispatch_ticks());
    EXPECT_EQ(gimbal::machine_delays().noise, first.noise);
}

}  // namespace
