// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tally.hpp"

#include "iteration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace pisolver {
namespace {

constexpr Range kRange{10, 14};

Tally tally_of(std::initializer_list<std::int64_t> iterations) {
    Tally tally(kRange);
    for (const std::int64_t i : iterations) tally.add(i, std::numbers::pi + 1e-3 * static_cast<double>(i));
    return tally;
}

TEST(Tally, SeesIterationsThatAreMissingOrRunTwice) {
    EXPECT_EQ(first_not_once(tally_of({10, 11, 12, 13}).done()), -1);
    EXPECT_EQ(first_not_once(tally_of({13, 10, 12, 11}).done()), -1);
    EXPECT_EQ(first_not_once(tally_of({10, 11, 12}).done()), 3) << "the last is missing";
    EXPECT_EQ(first_not_once(tally_of({11, 12, 13}).done()), 0) << "the first is missing";
    EXPECT_EQ(first_not_once(tally_of({10, 11, 12, 13, 11}).done()), 1) << "one was run twice";
    EXPECT_EQ(first_not_once(tally_of({10, 11, 11, 13}).done()), 1) << "as many as there are, but the wrong ones";
    EXPECT_EQ(first_not_once(Tally({5, 5}).done()), -1);
}

TEST(Tally, ChecksumSeesResultsAndIterationsButNotTheirOrder) {
    const std::uint64_t expected = tally_of({10, 11, 12, 13}).checksum();
    EXPECT_EQ(tally_of({12, 10, 13, 11}).checksum(), expected);
    EXPECT_EQ(tally_of({10, 12}).checksum() + tally_of({11, 13}).checksum(), expected) << "parts add up";
    EXPECT_NE(tally_of({10, 11, 12}).checksum(), expected);
    Tally swapped(kRange);
    swapped.add(10, 3.0);
    swapped.add(11, 3.5);
    Tally straight(kRange);
    straight.add(10, 3.5);
    straight.add(11, 3.0);
    EXPECT_NE(swapped.checksum(), straight.checksum());
}

TEST(Tally, KeepsTheLargestErrorAndRefusesNonsense) {
    Tally tally(kRange);
    tally.add(10, std::numbers::pi + 1e-6);
    tally.add(11, std::numbers::pi - 3e-6);
    tally.add(12, std::numbers::pi);
    EXPECT_NEAR(tally.max_error(), 3e-6, 1e-12);
    tally.add(13, std::numeric_limits<double>::quiet_NaN());
    tally.add(13, std::numbers::pi);
    EXPECT_GT(tally.max_error(), largest_error(200));
}

TEST(Tally, ForgetsTheStepBefore) {
    Tally tally = tally_of({10, 11, 12, 13});
    tally.clear();
    EXPECT_EQ(tally.checksum(), 0U);
    EXPECT_EQ(tally.max_error(), 0.0);
    EXPECT_EQ(first_not_once(tally.done()), 0);
}

}  // namespace
}  // namespace pisolver
