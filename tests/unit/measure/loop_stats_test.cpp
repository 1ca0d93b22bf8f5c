// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/loop_stats.hpp"

#include <gtest/gtest.h>

#include "gimbal/error.hpp"

namespace {

TEST(LoopStats, WhatIsWrittenIsReadBack) {
    const std::vector<gimbal::StoredStatistics> written{{"a.c:1 f", 4, 1.5e-6, 2e-7}, {"lib.so+0x12", 2, 3, 0}};
    const auto read = gimbal::parse_loop_stats(gimbal::format_loop_stats(written));
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0].loop, "a.c:1 f");
    EXPECT_EQ(read[0].workers, 4U);
    EXPECT_DOUBLE_EQ(read[0].mean_s, 1.5e-6);
    EXPECT_DOUBLE_EQ(read[0].sd_s, 2e-7);
    EXPECT_EQ(read[1].loop, "lib.so+0x12");
}

TEST(LoopStats, NamesOfAnyBytesAreWrittenAsTheyAreLookedFor) {
    EXPECT_EQ(gimbal::name_in_loop_stats("a.c:7 sum"), "a.c:7 sum");
    EXPECT_EQ(gimbal::name_in_loop_stats("caf\xc3\xa9.c:7 sum"), "caf\xc3\xa9.c:7 sum");
    const std::string name = gimbal::name_in_loop_stats("caf\xe9.c:7 sum");
    const auto read = gimbal::parse_loop_stats(gimbal::format_loop_stats({{name, 2, 1e-6, 1e-7}}));
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].loop, name);
}

TEST(LoopStats, AnythingElseIsRefused) {
    for (const char* text : {"", "{", "[]", "{}", R"({"schema_version": 2, "loops": []})", R"({"schema_version": 1})",
                             R"({"schema_version": 1, "loops": [{"loop": 7}]})", R"({"schema_version": "1"})"}) {
        EXPECT_THROW((void)gimbal::parse_loop_stats(text), gimbal::Error) << text;
    }
}

TEST(LoopStats, WhatIsWrongIsSaidInOurWords) {
    const auto said = [](const std::string& loop) {
        try {
            (void)gimbal::parse_loop_stats(
                R"({"schema_version": 1, "loops": [{"loop": "f", "workers": 2, "mean_s": 1, "sd_s": 0}, )" + loop +
                "]}");
            return std::string("nothing");
        } catch (const gimbal::Error& error) {
            return std::string(error.what());
        }
    };
    const auto wrong = [](const std::string& key) {
        return "the key \"" + key + "\" of its loop 2 is missing or of the wrong type";
    };
    EXPECT_EQ(said("7"), wrong("loop"));
    EXPECT_EQ(said(R"({"loop": "g", "workers": -2, "mean_s": 1, "sd_s": 0})"), wrong("workers"));
    EXPECT_EQ(said(R"({"loop": "g", "workers": 4294967298, "mean_s": 1, "sd_s": 0})"), wrong("workers"));
    EXPECT_EQ(said(R"({"loop": "g", "workers": 2, "mean_s": "1", "sd_s": 0})"), wrong("mean_s"));
    EXPECT_EQ(said(R"({"loop": "g", "workers": 2, "mean_s": 1})"), wrong("sd_s"));
}

}  // namespace
