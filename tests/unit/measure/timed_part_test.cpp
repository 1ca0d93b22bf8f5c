// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/timed_part.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace {

using gimbal::TimedPart;

/// What it says of `calls` calls, each of which takes took(call).
double total(std::uint64_t calls, const std::function<std::uint64_t(std::uint64_t)>& took) {
    TimedPart part;
    for (std::uint64_t call = 0; call < calls; ++call)
        if (part.begin()) part.add(took(call));
    return part.total();
}

TEST(TimedPart, ADearFirstCallCountsOnce) {
    const auto took = [](std::uint64_t call) { return call == 0 ? 100000U : 10U; };
    for (const std::uint64_t calls : {1U, 2U, 16U, 17U, 18U, 34U, 35U, 1000U})
        EXPECT_DOUBLE_EQ(total(calls, took), 100000 + 10.0 * static_cast<double>(calls - 1)) << calls;
    EXPECT_EQ(total(0, took), 0);
}

TEST(TimedPart, WhatRecursIsMetAsOftenAsItHappens) {
    for (const std::uint64_t period : {2U, 4U, 16U, 32U}) {
        const auto took = [=](std::uint64_t call) { return call % period == 0 ? 1000U : 0U; };
        constexpr std::uint64_t kCalls = 17 * 3200;
        EXPECT_NEAR(total(kCalls, took) * static_cast<double>(period), 1000.0 * kCalls, 10.0 * kCalls) << period;
    }
}

TEST(TimedPart, FewCallsAreMeasured) {
    TimedPart part;
    int measured = 0;
    for (int call = 0; call < 1700; ++call) measured += part.begin() ? 1 : 0;
    EXPECT_EQ(measured, 17 + 99);
}

}  // namespace
