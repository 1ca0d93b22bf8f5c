// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/pin_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "config/table.hpp"
#include "gimbal/error.hpp"

namespace gimbal::pin {
namespace {

using Given = std::map<std::string, std::string>;

/// All that one row can set.
auto numbers(const Settings& s) {
    return std::make_tuple(s.group, s.zeta, s.memory_dwell, s.memory_moves, s.gamma, s.rl_step, s.rl_lambda,
                           s.apla_floor, s.apla_range, s.mean_step, s.al_eta, s.al_margin, s.al_lambda, s.al_dwell,
                           s.al_moves, s.al_directed, s.al_seek, s.share, s.memory, s.team, s.rotate, s.al_reset,
                           s.crowd, s.reshuffle, s.sure, s.guard, s.guard_window, s.guard_trial, s.guard_rest,
                           s.guard_gain);
}

/// As a user writes them, into the default of the option itself.
Settings parse_settings(const Given& given) {
    std::string text;
    for (const auto& [name, value] : given) text += name + "=" + value + ";";
    return read_pin_words(text);
}

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
    const Settings settings = parse_settings({{"GROUP", "2"}, {"zeta", "0.25"}, {"GUARD", "0"}});
    EXPECT_EQ(settings.group, 2u);
    EXPECT_DOUBLE_EQ(settings.zeta, 0.25);
    EXPECT_FALSE(settings.guard);
    for (const OptionSpec& row : pin_numbers()) {
        Options options;
        const pin::Settings before = options.pin.learning;
        row.set(options, read_value(row, row.fallback));
        const pin::Settings& after = options.pin.learning;
        EXPECT_EQ(numbers(before), numbers(after)) << row.name << " has another default in the table than in the code";
        EXPECT_EQ(before.numa_memory.period, after.numa_memory.period) << row.name;
        EXPECT_FALSE(row.doc.empty());
    }
}

TEST(PinSettings, ListsKeepTheirSemicolonsAndBlanksDoNotCount) {
    const Settings settings = read_pin_words(" RESOURCES = {\"CPU_BANDWIDTH\" } ; GUARD=0;\nZETA=1;");
    ASSERT_EQ(settings.resources.size(), 1u);
    EXPECT_FALSE(settings.guard);
    EXPECT_DOUBLE_EQ(settings.zeta, 1);
    EXPECT_EQ(read_pin_words("AL_DWELL=2e1;GUARD=0.0").al_dwell, 20u) << "a whole number in any form";
    EXPECT_TRUE(read_pin_words("").guard);
    EXPECT_THROW((void)read_pin_words("GUARD"), Error);
    EXPECT_THROW((void)read_pin_words("GUARD=1;guard=1"), Error);
    EXPECT_THROW((void)read_pin_words("RESOURCES={CPU_BANDWIDTH;GUARD=0}"), Error) << "a ; in braces is no separator";
}

struct Wrong {
    Given given;
    const char* what;
    const char* hint;
};

TEST(PinSettings, WhatIsWrongIsNamedWithWhatIsAllowed) {
    const std::vector<Wrong> cases = {
        {{{"RESOURCES", "NUMA_BANDWITH"}}, "RESOURCES: unknown value \"NUMA_BANDWITH\"", "numa_bandwidth"},
        {{{"RESOURCES", ""}}, "nothing says where", "CPU_BANDWIDTH"},
        {{{"RESOURCES", "NUMA_MEMORY"}}, "nothing says where", "NUMA_BANDWIDTH"},
        {{{"RESOURCES", "NUMA_BANDWIDTH,CPU_BANDWIDTH"}}, "two ways to place", "CHILD_RESOURCES"},
        {{{"RESOURCES_EST_METHODS", "RL,RL"}}, "2 words for 1 resources", "one word per resource"},
        {{{"RESOURCES_EST_METHODS", "QL"}}, "unknown value \"QL\"", "rl apla al"},
        {{{"RESOURCES_OPT_METHODS", "APLA"}}, "unknown value \"APLA\"", "rl al"},
        {{{"RESOURCES_OPT_METHODS", "ZETA"}}, "unknown value \"ZETA\"", "rl al"},
        {{{"OPT_CRITERIA", "FAST"}}, "unknown value \"FAST\"", "balanced"},
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
        {{{"RESOURCES_PERIODS", "0"}}, "\"0\" is not in [1, 1000000]", "an integer in"},
        {{{"RESOURCES_PERIODS", "ten"}}, "\"TEN\" is not an integer", "an integer in"},
        {{{"ZETA", "1.5"}}, "ZETA: \"1.5\" is not in [0, 1]", "a number in [0, 1]"},
        {{{"GROUP", "1.5"}}, "not an integer", "an integer in"},
        {{{"AL_ETA", "1"}}, "is not in [1.000001, 100]", "a number in"},
        {{{"RL_STEP", "nan"}}, "not a number", "a number in"},
        {{{"RL_STEP", "0.3x"}}, "not a number", "a number in"},
        {{{"GUARD", "maybe"}}, "neither on nor off", "on off"},
        {{{"MODE", "static"}}, "MODE is set elsewhere", "GIMBAL_PIN says"},
        {{{"ZETTA", "1"}}, "there is no setting \"ZETTA\"", "ZETA"}};
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
