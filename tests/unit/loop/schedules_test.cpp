// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/schedules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

#include "base/warnings.hpp"
#include "config/selection.hpp"
#include "gimbal/loop.h"

namespace {

TEST(Schedules, AnOrdinaryValueIsLeftToTheOpenmpRuntime) {
    for (const char* text : {"static", "dynamic,4", "guided", "auto", "monotonic:dynamic,3", "STATIC,16"}) {
        EXPECT_EQ(gimbal_schedule_parse(text), 0) << text;
    }
}

// Reading the settings has named it; libomp need not complain once more.
TEST(Schedules, AWrongValueIsRefused) {
    for (const char* text : {"auto,99", "auto,1", "fac22"}) EXPECT_EQ(gimbal_schedule_parse(text), -1) << text;
}

TEST(Schedules, ATechniqueIsTakenWithChunkAndModifier) {
    const int schedule = gimbal_schedule_parse("monotonic: FAC2 , 8");
    ASSERT_GT(schedule, 0);
    EXPECT_EQ(gimbal_schedule_modifier(schedule), 1);
    std::array<char, 32> text{};
    gimbal_schedule_print(schedule, text.data(), text.size());
    EXPECT_STREQ(text.data(), "monotonic:fac2,8");
}

TEST(Schedules, ASelectorIsTakenUnderItsNameOrLb4ompsNumber) {
    std::array<char, 32> text{};
    gimbal_schedule_print(gimbal_schedule_parse("auto,9"), text.data(), text.size());
    EXPECT_STREQ(text.data(), "double-q");
    EXPECT_EQ(gimbal_schedule_parse("Double_Q"), gimbal_schedule_parse("auto,9"));
    EXPECT_NE(gimbal_schedule_parse("sarsa"), gimbal_schedule_parse("runtime"));
}

TEST(Schedules, WhatGetReturnsSetTakesBack) {
    for (const char* name : {"runtime", "fac2", "ss,7", "static,3", "wf2", "golden", "auto", "expert", "sarsa", "chunk",
                             "lws,0.8", "lws,0.12345:16", "lws,0.0004", "lws-weighted,0.12345", "lws,1:3", "lws,0"}) {
        const int schedule = gimbal::intern(gimbal::parse_schedule(name));
        int chunk = -1;
        const int kind = gimbal_schedule_kind(schedule, &chunk);
        EXPECT_GE(kind, static_cast<int>(GIMBAL_SCHEDULE_KIND)) << name;
        EXPECT_EQ(gimbal_schedule_set(kind, chunk), schedule) << name;
    }
}

TEST(Schedules, AFractionIsOneThatGetHasReturnedForThisTechnique) {
    int chunk = 0;
    const int lws = gimbal_schedule_kind(gimbal::intern(gimbal::parse_schedule("lws,0.7")), &chunk);
    const int other = gimbal_schedule_kind(gimbal::intern(gimbal::parse_schedule("lws-weighted")), &chunk);
    const int unit = 0x1000;
    EXPECT_EQ(gimbal_schedule_set(other + lws / unit * unit, 0), 0);
    EXPECT_EQ(gimbal_schedule_set(lws % unit + 200000 * unit, 0), 0);
}

// A program that sets a new chunk in every step relies on where its chunks begin.
TEST(Schedules, ThousandsOfChunksAreKeptAsTheyWereAskedFor) {
    constexpr int kMany = 20000;
    const int kind = GIMBAL_SCHEDULE_KIND + 1;
    std::set<int> numbers;
    for (int chunk = 1; chunk <= kMany; ++chunk) {
        const int number = gimbal_schedule_set(kind, chunk);
        ASSERT_GT(number, 0);
        ASSERT_EQ(gimbal::interned(number).chunk, static_cast<std::uint64_t>(chunk));
        numbers.insert(number);
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(kMany));
    for (int chunk = 1; chunk <= kMany; ++chunk)
        ASSERT_TRUE(numbers.contains(gimbal_schedule_set(kind, chunk))) << chunk;
}

// In a process of its own: nobody else could name a schedule afterwards.
TEST(SchedulesDeathTest, MoreThanThereIsRoomForAreRefusedAndSaid) {
    const auto fill = [] {
        const int known = gimbal_schedule_set(GIMBAL_SCHEDULE_KIND + 2, 7);
        int number = 1;
        for (int chunk = 1; number > 0; ++chunk) number = gimbal_schedule_set(GIMBAL_SCHEDULE_KIND + 1, chunk);
        const bool stays = gimbal_schedule_set(GIMBAL_SCHEDULE_KIND + 2, 7) == known;
        const bool refused = gimbal_schedule_set(GIMBAL_SCHEDULE_KIND + 3, 7) == 0;
        for (const std::string& warning : gimbal::warnings()) std::cerr << warning << '\n';
        std::_Exit(stays && refused ? 0 : 1);
    };
    EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "has set 262143 different schedules");
}

TEST(Schedules, KindsOfOthersAreRefused) {
    for (const int kind : {0, 1, 2, 3, 4, 101, 102, 0x1ff, 0x7fffffff})
        EXPECT_EQ(gimbal_schedule_set(kind, 1), 0) << kind;
}

// Ranks tell each other what a loop runs under by its spelling.
TEST(Schedules, TheLongestSpellingHasRoom) {
    for (const gimbal::Technique* const technique : gimbal::techniques()) {
        gimbal::ScheduleSpec schedule;
        schedule.technique = technique;
        schedule.modifier = gimbal::Modifier::nonmonotonic;
        if (technique->info().fraction != gimbal::FractionSource::none) schedule.fraction = 2.2250738585072014e-308;
        schedule.chunk = 2147483647;
        std::array<char, GIMBAL_SCHEDULE_BYTES> text{};
        gimbal_schedule_print(gimbal::intern(schedule), text.data(), text.size());
        EXPECT_EQ(text.data(), gimbal::to_string(schedule));
    }
    for (const gimbal::SelectorInfo& selector : gimbal::selectors())
        EXPECT_LT(std::string("nonmonotonic:,2147483647").size() + std::string(selector.name).size(),
                  std::size_t{GIMBAL_SCHEDULE_BYTES});
}

TEST(Schedules, PrintingIntoLittleSpaceIsCutNotOverrun) {
    std::array<char, 4> text{'x', 'x', 'x', 'x'};
    gimbal_schedule_print(gimbal_schedule_parse("golden"), text.data(), 3);
    EXPECT_STREQ(text.data(), "go");
    EXPECT_EQ(text[3], 'x');
}

}  // namespace
