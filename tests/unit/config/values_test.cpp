// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <string>

#include "config/schedule_value.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"

namespace gimbal {
namespace {

/// What is wrong with a value; empty if nothing is.
std::string problem(const OptionSpec& spec, const std::string& text) {
    try {
        (void)read_value(spec, text);
        return {};
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_option);
        return std::string(error.what()) + "|" + error.hint();
    }
}

const OptionSpec& named(const char* name) {
    return *find_option(name);
}

TEST(Values, BooleansHaveFourSpellingsEach) {
    for (const char* yes : {"on", "1", "YES", " true "})
        EXPECT_TRUE(std::get<bool>(read_value(named("GIMBAL_STRICT"), yes))) << yes;
    for (const char* no : {"off", "0", "No", "false"})
        EXPECT_FALSE(std::get<bool>(read_value(named("GIMBAL_STRICT"), no))) << no;
    EXPECT_EQ(problem(named("GIMBAL_STRICT"), "maybe"), "\"maybe\" is neither on nor off|");
}

TEST(Values, IntegersKeepTheirRange) {
    EXPECT_EQ(std::get<std::int64_t>(read_value(named("GIMBAL_SEED"), "7")), 7);
    EXPECT_NE(problem(named("GIMBAL_SEED"), "-1"), "");
    EXPECT_NE(problem(named("GIMBAL_SEED"), "1.5"), "");
    EXPECT_NE(problem(named("GIMBAL_SEED"), "7x"), "");
    EXPECT_NE(problem(named("GIMBAL_SEED"), "99999999999999999999"), "");
    // A double cannot tell these two apart.
    EXPECT_EQ(std::get<std::int64_t>(read_value(named("GIMBAL_SEED"), "9007199254740992")), 9007199254740992);
    EXPECT_EQ(problem(named("GIMBAL_SEED"), "9007199254740993"),
              "\"9007199254740993\" is not in [0, 9007199254740992]|");
}

TEST(Values, RealsAreFiniteAndKeepTheirRange) {
    const OptionSpec half_open = {.name = "GIMBAL_X", .type = OptionType::real, .low = 0, .high = 1, .low_open = true};
    EXPECT_DOUBLE_EQ(std::get<double>(read_value(half_open, "0.25")), 0.25);
    EXPECT_DOUBLE_EQ(std::get<double>(read_value(half_open, "1")), 1);
    EXPECT_EQ(problem(half_open, "0"), "\"0\" is not in (0, 1]|");
    EXPECT_NE(problem(half_open, "nan"), "");
    EXPECT_NE(problem(half_open, "inf"), "");
    EXPECT_NE(problem(half_open, "0.5 0.6"), "");
}

TEST(Values, WeightsArePositiveRealsWithCommas) {
    const auto weights = std::get<std::vector<double>>(read_value(named("GIMBAL_WEIGHTS"), "1, 2.5 ,1e-3"));
    EXPECT_EQ(weights, (std::vector<double>{1, 2.5, 1e-3}));
    for (const char* wrong : {"1,,2", "1,2,", "0,1", "-1", "a", "nan", "1;2"})
        EXPECT_NE(problem(named("GIMBAL_WEIGHTS"), wrong), "") << wrong;
}

TEST(Values, ChoicesIgnoreCaseAndSuggestTheNearest) {
    EXPECT_EQ(std::get<std::string>(read_value(named("GIMBAL_REPORT"), "Full")), "full");
    EXPECT_EQ(problem(named("GIMBAL_REPORT"), "sumary"), "unknown value \"sumary\"|Did you mean \"summary\"?");
    EXPECT_EQ(problem(named("GIMBAL_REPORT"), "xyzzy"), "unknown value \"xyzzy\"|");
}

TEST(Values, PatternsKnowTheirPlaceholders) {
    EXPECT_EQ(problem(named("GIMBAL_OUTPUT"), "run-%j-%r-%p-%h-%%.json"), "");
    EXPECT_NE(problem(named("GIMBAL_OUTPUT"), "run-%x.json"), "");
    EXPECT_NE(problem(named("GIMBAL_OUTPUT"), "run-%"), "");
}

TEST(Values, SchedulesAreCheckedAndSuggested) {
    EXPECT_EQ(problem(named("GIMBAL_SCHEDULE"), "Fac2, 16"), "");
    EXPECT_EQ(problem(named("GIMBAL_SCHEDULE"), "runtime"), "");
    EXPECT_EQ(problem(named("GIMBAL_SCHEDULE"), "fac22"), "unknown technique \"fac22\"|Did you mean \"fac2\"?");
    for (const char* wrong : {"fac2,0", "fac2,-3", "fac2,x", "fac2,", ",4", "monotonic:", "fac2,1,2"})
        EXPECT_NE(problem(named("GIMBAL_SCHEDULE"), wrong), "") << wrong;
}

TEST(Values, EmptyAndHugeValuesAreWrongForEveryOption) {
    for (const OptionSpec& spec : option_table()) {
        EXPECT_EQ(problem(spec, ""), "the value is empty|") << spec.name;
        EXPECT_EQ(problem(spec, " \t "), "the value is empty|") << spec.name;
        const std::string wrong = problem(spec, std::string(10000, 'a'));
        EXPECT_NE(wrong, "") << spec.name;
        EXPECT_LT(wrong.size(), 200U) << "a message must not repeat the whole value";
    }
}

TEST(Values, MessagesShowNoControlCharacters) {
    const std::string wrong = problem(named("GIMBAL_REPORT"), "a\033[31mred\n");
    EXPECT_EQ(wrong.find('\033'), std::string::npos);
    EXPECT_EQ(wrong.find('\n'), std::string::npos);
}

TEST(OrdinaryOpenMP, WhatLibompUnderstandsIsLeftAlone) {
    for (const char* value :
         {"static", "dynamic,4", "guided", "auto", "trapezoidal", "static_steal", "STATIC,16", "monotonic:dynamic",
          "nonmonotonic:guided,8", "Monotonic:Static", "dynamic,-1", "EXPERIMENTAL L1,static", " dynamic "})
        EXPECT_TRUE(is_ordinary_openmp(value)) << value;
    for (const char* value : {"fac2", "runtime", "ss,4", "", "stat", "dynamics", "fast:dynamic", "monotonic:fac2"})
        EXPECT_FALSE(is_ordinary_openmp(value)) << value;
}

}  // namespace
}  // namespace gimbal
