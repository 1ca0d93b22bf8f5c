// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "scripted.hpp"
#include "select/random_selector.hpp"

namespace {

using gimbal::RandomSelector;
using gimbal::seed_portfolio;
using gimbal::test::name_of;
using gimbal::test::place_of;
using gimbal::test::record_of;
using gimbal::test::step;

RandomSelector make_random(std::uint64_t seed) {
    return {{.portfolio = seed_portfolio(), .reason = "random", .skips_first = false}, seed};
}

TEST(RandomSelection, StaysWithWhatBalances) {
    RandomSelector selector = make_random(1);
    const std::string first = name_of(step(selector, record_of(1, 0)));
    for (int i = 0; i < 200; ++i) EXPECT_EQ(name_of(step(selector, record_of(1, 0))), first);
}

TEST(RandomSelection, JumpsUniformlyWhenNothingBalances) {
    RandomSelector selector = make_random(1);
    std::array<int, 12> counts{};
    for (int i = 0; i < 12000; ++i) ++counts.at(place_of(step(selector, record_of(1, 50)), seed_portfolio()));
    // Binomial(12000, 1/12): 1000 with a deviation of 30.
    for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(RandomSelection, JumpsWithTenTimesTheImbalanceAsProbability) {
    RandomSelector selector = make_random(1);
    int changes = 0;
    std::string last;
    for (int i = 0; i < 12000; ++i) {
        const std::string name = name_of(step(selector, record_of(1, 3)));
        changes += i > 0 && name != last;
        last = name;
    }
    // 0.3 of 12000 jumps, a twelfth of which lead back: 3300 with a deviation of 49.
    EXPECT_NEAR(changes, 3300, 250);
}

TEST(RandomSelection, RepeatsForASeedAndDiffersBetweenSeeds) {
    std::set<std::string> sequences;
    for (const std::uint64_t seed : {1U, 2U, 3U, 1U, 2U, 3U}) {
        RandomSelector selector = make_random(seed);
        std::string sequence;
        for (int i = 0; i < 50; ++i) sequence += name_of(step(selector, record_of(1, 30))) + " ";
        sequences.insert(sequence);
    }
    EXPECT_EQ(sequences.size(), 3U);
}

}  // namespace
