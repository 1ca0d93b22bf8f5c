// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/run_record.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gimbal/error.hpp"
#include "sample_record.hpp"

namespace gimbal {
namespace {

std::string problem(const std::string& text) {
    try {
        (void)from_json(text);
        return {};
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::file);
        return error.what();
    }
}

TEST(Json, ARecordComesBackAsItWent) {
    RunRecord record = sample_record(3, 4);
    record.warnings = {"counters off"};
    record.cores_lent = 12;
    record.regions_with_numbers = 2;
    record.partial = "killed by SIGTERM";
    record.openmp_use = OpenmpUse::dynamic_loops;
    record.unfinished = {{.name = "a.c:7 f<X>",
                          .template_name = "a.c:7 f",
                          .module = {},
                          .workers = 2,
                          .over_ranks = true,
                          .time_s = 3.5}};
    record.loops[0].slow = {.worker = 1, .rate = 0.5, .processor = 7, .by_instructions = true};
    record.loops[0].passed_s = 2.5;
    record.loops[0].module = "/usr/bin/app";
    record.loops[0].offset = std::numeric_limits<std::uint64_t>::max();
    const RunRecord back = from_json(to_json(record));
    EXPECT_EQ(to_json(back), to_json(record));
    EXPECT_EQ(back.rank, 3);
    EXPECT_EQ(back.ranks, 4);
    EXPECT_EQ(back.host, "node7");
    EXPECT_EQ(back.loops[0].passed_s, 2.5);
    EXPECT_EQ(back.warnings, record.warnings);
    EXPECT_EQ(back.cores_lent, 12U);
    EXPECT_EQ(back.regions_with_numbers, 2U);
    ASSERT_TRUE(back.loops[0].slow);
    EXPECT_EQ(back.loops[0].slow->processor, 7);
    EXPECT_TRUE(back.loops[0].slow->by_instructions);
    EXPECT_FALSE(from_json(to_json(sample_record())).loops[0].slow);
    EXPECT_EQ(back.partial, "killed by SIGTERM");
    EXPECT_EQ(back.openmp_use, OpenmpUse::dynamic_loops);
    EXPECT_EQ(from_json(to_json(sample_record())).openmp_use, OpenmpUse::unknown);
    ASSERT_EQ(back.unfinished.size(), 1U);
    EXPECT_EQ(back.unfinished[0].name, "a.c:7 f<X>");
    EXPECT_EQ(back.unfinished[0].template_name, "a.c:7 f");
    EXPECT_TRUE(back.unfinished[0].over_ranks);
    EXPECT_DOUBLE_EQ(back.unfinished[0].time_s, 3.5);
    EXPECT_EQ(from_json(to_json(sample_record())).partial, "");
    EXPECT_EQ(back.loops[0].offset, record.loops[0].offset);
    EXPECT_EQ(back.loops[0].per_worker[0].iterations, 1500U);
    EXPECT_EQ(back.loops[0].schedules[0].reason, "GIMBAL_SCHEDULE");
    EXPECT_DOUBLE_EQ(back.loops[0].busy_max_s, 3);
    EXPECT_EQ(back.options[0].origin, "environment");
}

TEST(Json, UnitsAndVersionAreInTheText) {
    const std::string text = to_json(sample_record());
    for (const char* key :
         {"\"schema_version\": 1", "\"time_s\": 3.0", "\"offset_bytes\"", "\"dispatch_ns\"", "\"imbalance\": 0.5"})
        EXPECT_NE(text.find(key), std::string::npos) << key;
    EXPECT_EQ(text.back(), '\n');
}

TEST(Json, RecordsOfBeforeCoresWereLentAreRead) {
    RunRecord record = sample_record();
    record.cores_lent = 7;
    std::string text = to_json(record);
    const std::string key = "\"cores_lent\": 7,";
    text.erase(text.find(key), key.size());
    EXPECT_EQ(from_json(text).cores_lent, 0U);
}

TEST(Json, OtherVersionsAreRefusedByNumber) {
    std::string text = to_json(sample_record());
    text.replace(text.find("\"schema_version\": 1"), 19, "\"schema_version\": 2");
    EXPECT_EQ(problem(text), "the record has schema_version 2, this gimbal reads 1");
}

TEST(Json, DamagedFilesAreRefusedWithTheReason) {
    EXPECT_EQ(problem(""), "the record is not a JSON object");
    EXPECT_EQ(problem("[]"), "the record is not a JSON object");
    EXPECT_EQ(problem("{}"), "the record's key \"schema_version\" is missing or of the wrong type");
    const std::string text = to_json(sample_record());
    EXPECT_NE(problem(text.substr(0, text.size() / 2)), "");
    std::string wrong_type = text;
    wrong_type.replace(wrong_type.find("\"pid\": 1000"), 11, "\"pid\": \"no\"");
    EXPECT_EQ(problem(wrong_type), "the record's key \"pid\" is missing or of the wrong type");
}

/// Each key of an object is compared with all before it.
TEST(Json, AnObjectOfVeryManyKeysIsRefused) {
    const auto with_keys = [](int count) {
        std::string text = to_json(sample_record()), more;
        for (int i = 0; i < count; ++i) more += "\"k" + std::to_string(i) + "\": {\"a\": 1},";
        return text.replace(text.find("\"loops\""), 0, "\"newer\": {" + more + "\"last\": 0},");
    };
    EXPECT_EQ(problem(with_keys(999)), "");
    EXPECT_EQ(problem(with_keys(1000)), "the record has an object of more than 1000 keys");
}

TEST(Json, NumbersThatCannotBeAreRefusedByTheirKey) {
    const std::string text = to_json(sample_record());
    for (const auto& [key, number] : {std::pair{"busy_mean_s", "-1.0"},
                                      {"busy_s", "-3"},
                                      {"time_s", "1e16"},
                                      {"wall_s", "-5"},
                                      {"workers", "4000000"},
                                      {"workers", "4294967298"},
                                      {"workers", "-1"},
                                      {"calls", "2.5"},
                                      {"calls", "-2"},
                                      {"pid", "4294967296"},
                                      {"ranks", "99999999999"},
                                      {"ranks", "16777217"},
                                      {"rank", "-5"},
                                      {"rank", "16777216"},
                                      {"iterations", "18446744073709551616"}}) {
        std::string wrong = text;
        const std::string before = "\"" + std::string(key) + "\": ";
        const std::size_t at = wrong.find(before) + before.size();
        ASSERT_LT(at, wrong.size()) << key;
        wrong.replace(at, wrong.find_first_of(",\n", at) - at, number);
        EXPECT_EQ(problem(wrong), "the record's key \"" + std::string(key) + "\" is missing or of the wrong type")
            << number;
    }
}

TEST(Json, FiguresThatAreNotFiniteBecomeZeroAndBadTextIsReplaced) {
    RunRecord record = sample_record();
    record.wall_s = std::numeric_limits<double>::quiet_NaN();
    record.loops[0].busy_mean_s = std::numeric_limits<double>::infinity();
    record.program = "app \xff\xfe";
    const RunRecord back = from_json(to_json(record));
    EXPECT_EQ(back.wall_s, 0);
    EXPECT_EQ(back.loops[0].busy_mean_s, 0);
    EXPECT_TRUE(back.program.starts_with("app "));
}

}  // namespace
}  // namespace gimbal
