// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gimbal/error.hpp"

namespace gimbal::pin {
namespace {

using Given = std::map<std::string, std::string>;

TEST(PinSettings, TheSeedsTablesAreRead) {
    const Settings settings = parse_settings({{"RESOURCES", R"({"NUMA_BANDWIDTH" ,"NUMA_MEMORY" })"},
                                              {"OPT_CRITERIA", R"({"PROCESSING_SPEED" ,"PROCESSING_SPEED" })"},
                                              {"RESOURCES_EST_METHODS", R"({"RL" ,"RL" })"},
                                              {"RESOURCES_OPT_METHODS", R"({"RL" ,"AL" })"},
                                              {"CHILD_RESOURCES", R"({"CPU_BANDWIDTH" ,"NULL" })"},
                                              {"CHILD_OPT_CRITERIA", R"({"PROCESSING_SPEED" ,"PROCESSING_SPEED" })"},
                                              {"CHILD_RESOURCES_EST_METHODS", R"({"RL" ,"RL" })"},
                                              {"CHILD_RESOURCES_OPT_METHODS", R"({"AL" ,"AL" })"}});
    ASSERT_EQ(settings.resources.size(), 2u);
    EXPECT_EQ(settings.resources[0].level, Level::node);
    EXPECT_EQ(settings.resources[0].optimiser, OptimiserKind::rl);
    EXPECT_EQ(settings.resources[1].level, Level::core);
    EXPECT_EQ(settings.resources[1].optimiser, OptimiserKind::al);
    EXPECT_TRUE(settings.bind_memory);
    EXPECT_TRUE(settings.learn_memory);
    EXPECT_EQ(settings.numa_memory.optimiser, OptimiserKind::al);
}

TEST(PinSettings, MemoryIsLearntWhereAMethodIsNamedForIt) {
    const auto read = [](const char* estimators, const char* optimisers) {
        Given given = {{"RESOURCES", "NUMA_BANDWIDTH,NUMA_MEMORY"}, {"RESOURCES_PERIODS", "10,7"}};
        if (*estimators != 0) given["RESOURCES_EST_METHODS"] = estimators;
        if (*optimisers != 0) given["RESOURCES_OPT_METHODS"] = optimisers;
        return parse_settings(given);
    };
    for (const Settings& rule : {read("", ""), read("RL,", ""), read("RL,RL", "AL,ZETA"), read("RL,ZETA", "AL,NULL")}) {
        EXPECT_TRUE(rule.bind_memory);
        EXPECT_FALSE(rule.learn_memory);
        EXPECT_EQ(rule.numa_memory.period, 7u);
    }
    const Settings one = read("RL,APLA", "");
    EXPECT_TRUE(one.learn_memory);
    EXPECT_EQ(one.numa_memory.estimator, EstimatorKind::apla);
    EXPECT_EQ(one.numa_memory.optimiser, OptimiserKind::al);
    const Settings both = read("RL,AL", "AL,RL");
    EXPECT_TRUE(both.learn_memory);
    EXPECT_EQ(both.numa_memory.estimator, EstimatorKind::al);
    EXPECT_EQ(both.numa_memory.optimiser, OptimiserKind::rl);
}

TEST(PinSettings, NothingSaidIsTheSeedsExperiments) {
    const Settings settings = parse_settings({});
    ASSERT_EQ(settings.resources.size(), 2u);
    EXPECT_EQ(settings.resources[0].optimiser, OptimiserKind::al);
    EXPECT_EQ(settings.resources[1].optimiser, OptimiserKind::rl);
    EXPECT_FALSE(settings.bind_memory);
    EXPECT_EQ(settings.group, 1u);
}

TEST(PinSettings, BothSetsOfNamesPlainListsAnyCaseAndAnyDepth) {
    const Settings settings = parse_settings({{"resources", "numa_processing"},
                                              {"resources_est_methods", "apla"},
                                              {"Child_Resources", "cache_bandwidth"},
                                              {"CHILD_CHILD_RESOURCES", "CPU_PROCESSING"},
                                              {"CHILD_CHILD_OPT_CRITERIA", "min"},
                                              {"CHILD_CHILD_CHILD_RESOURCES", "PU_BANDWIDTH"},
                                              {"CHILD_RESOURCES_PERIODS", "7"}});
    ASSERT_EQ(settings.resources.size(), 4u);
    EXPECT_EQ(settings.resources[0].estimator, EstimatorKind::apla);
    EXPECT_EQ(settings.resources[1].period, 7u);
    EXPECT_EQ(settings.resources[2].criterion, Criterion::min);
    EXPECT_EQ(settings.resources[3].level, Level::pu);
}

TEST(PinSettings, MethodsAloneLeaveTheResourcesAsTheyAre) {
    const Settings settings = parse_settings({{"CHILD_RESOURCES_EST_METHODS", "APLA"}});
    ASSERT_EQ(settings.resources.size(), 2u);
    EXPECT_EQ(settings.resources[1].estimator, EstimatorKind::apla);
}

TEST(PinSettings, ScalarsAreReadAndTheirDefaultsAreWithinTheirBounds) {
    const Settings settings = parse_settings({{"GROUP", "2"}, {"zeta", "0.25"}, {"MODE", "static"}, {"GUARD", "0"}});
    EXPECT_EQ(settings.group, 2u);
    EXPECT_DOUBLE_EQ(settings.zeta, 0.25);
    EXPECT_EQ(settings.mode, Mode::fixed);
    EXPECT_FALSE(settings.guard);
    const Settings defaults;
    for (const ScalarSetting& row : scalar_settings()) {
        EXPECT_GE(row.get(defaults), row.low) << row.name;
        EXPECT_LE(row.get(defaults), row.high) << row.name;
        EXPECT_FALSE(row.about.empty());
    }
}

struct Wrong {
    Given given;
    const char* what;
    const char* hint;
};

TEST(PinSettings, WhatIsWrongIsNamedWithWhatIsAllowed) {
    const std::vector<Wrong> cases = {
        {{{"RESOURCES", "NUMA_BANDWITH"}}, "RESOURCES: unknown word \"NUMA_BANDWITH\"", "NUMA_BANDWIDTH"},
        {{{"RESOURCES", ""}}, "nothing says where", "CPU_BANDWIDTH"},
        {{{"RESOURCES", "NUMA_MEMORY"}}, "nothing says where", "NUMA_BANDWIDTH"},
        {{{"RESOURCES", "NUMA_BANDWIDTH,CPU_BANDWIDTH"}}, "two ways to place", "CHILD_RESOURCES"},
        {{{"RESOURCES_EST_METHODS", "RL,RL"}}, "2 words for 1 resources", "one word per resource"},
        {{{"RESOURCES_EST_METHODS", "QL"}}, "unknown word \"QL\"", "RL APLA AL"},
        {{{"RESOURCES_OPT_METHODS", "APLA"}}, "unknown word \"APLA\"", "RL AL"},
        {{{"RESOURCES_OPT_METHODS", "ZETA"}}, "unknown word \"ZETA\"", "RL AL"},
        {{{"OPT_CRITERIA", "FAST"}}, "unknown word \"FAST\"", "BALANCED"},
        {{{"RESOURCES", "CPU_BANDWIDTH"}, {"CHILD_RESOURCES", "NUMA_BANDWIDTH"}}, "not finer", "NUMA CACHE CPU PU"},
        {{{"RESOURCES", "NUMA_BANDWIDTH,NUMA_MEMORY"}, {"CHILD_RESOURCES", "NULL,CPU_BANDWIDTH"}},
         "no children",
         "NULL"},
        {{{"RESOURCES", "NUMA_BANDWIDTH,NUMA_MEMORY"}, {"CHILD_RESOURCES", "CPU_BANDWIDTH"}},
         "1 children for 2",
         "NULL"},
        {{{"RESOURCES", "NUMA_BANDWIDTH"}, {"CHILD_OPT_CRITERIA", "SPEED"}},
         "CHILD_OPT_CRITERIA: there is no",
         "CHILD_RESOURCES"},
        {{{"RESOURCES_PERIODS", "0"}}, "is not a period", "whole samples"},
        {{{"RESOURCES_PERIODS", "ten"}}, "\"TEN\" is not a number", ""},
        {{{"ZETA", "1.5"}}, "ZETA: \"1.5\" is out of range", "share of the threads"},
        {{{"GROUP", "1.5"}}, "out of range", "count"},
        {{{"AL_ETA", "1"}}, "out of range", "benchmark"},
        {{{"RL_STEP", "nan"}}, "not a number", ""},
        {{{"RL_STEP", "0.3x"}}, "not a number", ""},
        {{{"MODE", "fast"}}, "unknown word", "OBSERVE"},
        {{{"ZETTA", "1"}}, "unknown setting \"ZETTA\"", "ZETA"}};
    for (const Wrong& wrong : cases) {
        try {
            static_cast<void>(parse_settings(wrong.given));
            ADD_FAILURE() << "accepted; expected: " << wrong.what;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(wrong.what));
            EXPECT_THAT(error.hint(), testing::HasSubstr(wrong.hint));
        }
    }
}

}  // namespace
}  // namespace gimbal::pin
