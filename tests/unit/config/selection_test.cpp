// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "config/load.hpp"
#include "config/selection_rows.hpp"

namespace gimbal {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

LoadedOptions load(const Given& variables, std::span<const Setting> overrides = {}) {
    Environment environment;
    for (const auto& [name, value] : variables) environment.settings.push_back({name, value, "environment"});
    return load_options(environment, overrides);
}

/// The settings when all is right.
SelectorSettings select(const Given& variables, std::span<const Setting> overrides = {}) {
    const LoadedOptions loaded = load(variables, overrides);
    for (const Error& error : loaded.problems) ADD_FAILURE() << message_text(error, "error");
    return loaded.options.select;
}

/// The same for ranks.
SelectorSettings select_ranks(const Given& variables) {
    const LoadedOptions loaded = load(variables);
    for (const Error& error : loaded.problems) ADD_FAILURE() << message_text(error, "error");
    return loaded.options.select_ranks;
}

std::string problem(const std::string& name, const std::string& value) {
    const LoadedOptions loaded = load({{name, value}});
    return loaded.problems.empty() ? "" : message_text(loaded.problems.front(), "error");
}

bool speaks_for(std::string_view name, Levels level) {
    return levels_of(name) == Levels::both || levels_of(name) == level;
}

TEST(SelectionRows, DefaultsAreThoseOfTheSettings) {
    const SelectorSettings table = load_options({}).options.select;
    const SelectorSettings plain;
    EXPECT_EQ(table.name, plain.name);
    EXPECT_EQ(table.portfolio, plain.portfolio);
    EXPECT_EQ(table.agent, plain.agent);
    EXPECT_EQ(table.secondary, plain.secondary);
    EXPECT_EQ(table.policy, plain.policy);
    EXPECT_EQ(table.reward, plain.reward);
    EXPECT_EQ(table.init, plain.init);
    EXPECT_EQ(table.decay, plain.decay);
    EXPECT_EQ(table.rewards, plain.rewards);
    EXPECT_EQ(table.average_window, plain.average_window);
    EXPECT_EQ(table.steal_ratios, plain.steal_ratios);
    EXPECT_EQ(table.steps_limit, plain.steps_limit);
    EXPECT_EQ(table.golden_chunk, plain.golden_chunk);
    EXPECT_EQ(table.debug, plain.debug);
}

TEST(SelectionRows, EveryNumberHasItsFieldAndRangeUnderEveryName) {
    struct Row {
        const char* name;
        double SelectorSettings::*field;
        double inside;
        const char* outside;
    };
    const Row kRows[] = {{"GAMMA", &SelectorSettings::gamma, 0.5, "1.01"},
                         {"ALPHA", &SelectorSettings::alpha, 1, "-0.1"},
                         {"ALPHA_DECAY", &SelectorSettings::alpha_decay, 0, "2"},
                         {"ALPHA_MIN", &SelectorSettings::alpha_min, 0.25, "1e9"},
                         {"EPSILON", &SelectorSettings::epsilon, 0.125, "-1"},
                         {"EPS_DECAY", &SelectorSettings::epsilon_decay, 0.5, "1.5"},
                         {"EPS_MIN", &SelectorSettings::epsilon_min, 0, "nan"},
                         {"TAU", &SelectorSettings::tau, 1e6, "-0.5"},
                         {"INV_MULT", &SelectorSettings::inverse_multiplier, 100, "1e308"}};
    for (const Row& row : kRows) {
        for (const char* prefix : {"GIMBAL_RL_", "KMP_RL_", "LB4MPI_RL_"}) {
            const std::string name = std::string(prefix) + row.name;
            const Given given = {{name, std::to_string(row.inside)}};
            if (speaks_for(prefix, Levels::threads)) {
                EXPECT_EQ(select(given).*row.field, row.inside) << name;
            }
            if (speaks_for(prefix, Levels::ranks)) {
                EXPECT_EQ(select_ranks(given).*row.field, row.inside) << name;
            }
            EXPECT_TRUE(problem(name, row.outside).starts_with("gimbal: error: " + name + ": ")) << name;
            EXPECT_NE(problem(name, row.outside).find("(from the environment)"), std::string::npos) << name;
            EXPECT_NE(problem(name, "x").find("is not a number"), std::string::npos) << name;
        }
    }
}

TEST(SelectionRows, EveryIntegerHasItsFieldAndRange) {
    EXPECT_EQ(select({{"KMP_RL_AVG_WINDOW", "3"}}).average_window, 3U);
    EXPECT_EQ(select_ranks({{"LB4MPI_RL_SR_PORTFOLIO_SIZE", "100"}}).steal_ratios, 100U);
    EXPECT_EQ(select({{"GIMBAL_RL_TIME_STEPS_LIMIT", "500"}}).steps_limit, 500U);
    EXPECT_EQ(select({{"GIMBAL_RL_DEBUG", "2"}}).debug, 2);
    for (const auto& [name, value] : Given{{"GIMBAL_RL_AVG_WINDOW", "0"},
                                           {"GIMBAL_RL_AVG_WINDOW", "1.5"},
                                           {"LB4MPI_RL_SR_PORTFOLIO_SIZE", "1"},
                                           {"GIMBAL_RL_SR_PORTFOLIO_SIZE", "101"},
                                           {"GIMBAL_RL_TIME_STEPS_LIMIT", "-1"},
                                           {"GIMBAL_RL_DEBUG", "3"}})
        EXPECT_NE(problem(name, value), "") << name << "=" << value;
}

TEST(SelectionRows, EveryWordIsReadInAnySpellingAndTheNearestIsSuggested) {
    struct Row {
        const char* name;
        std::string SelectorSettings::*field;
        const char* written;
        const char* word;
        const char* wrong;
    };
    const Row kRows[] = {
        {"POLICY", &SelectorSettings::policy, "Epsilon_Greedy", "epsilon-greedy", "softmx"},
        {"REWARD", &SelectorSettings::reward, "LOOPTIME-ROLLING-AVERAGE", "looptime-rolling-average", "lootime"},
        {"INIT", &SelectorSettings::init, "optimistic", "optimistic", "optimstic"},
        {"DECAY", &SelectorSettings::decay, " step ", "step", "stpe"},
        {"SELECTOR_TYPE", &SelectorSettings::secondary, "SARSALearner", "sarsa", "srasa"}};
    for (const Row& row : kRows) {
        for (const char* prefix : {"GIMBAL_RL_", "KMP_RL_", "LB4MPI_RL_"}) {
            const std::string name = std::string(prefix) + row.name;
            if (speaks_for(prefix, Levels::threads)) {
                EXPECT_EQ(select({{name, row.written}}).*row.field, row.word) << name;
            }
            if (speaks_for(prefix, Levels::ranks)) {
                EXPECT_EQ(select_ranks({{name, row.written}}).*row.field, row.word) << name;
            }
            EXPECT_NE(problem(name, row.wrong).find("Did you mean \""), std::string::npos) << problem(name, row.wrong);
            EXPECT_NE(problem(name, row.wrong).find("\n        allowed: "), std::string::npos) << name;
        }
    }
}

TEST(SelectionRows, FilesAndSwitchesAreTakenAsTheyAre) {
    const SelectorSettings settings = select({{"KMP_RL_AGENT_STATS", "agent"},
                                              {"GIMBAL_RECORD", "r.csv"},
                                              {"GIMBAL_REPLAY", "p.csv"},
                                              {"GIMBAL_GOLDEN_CHUNK", "on"}});
    EXPECT_EQ(settings.agent_stats, "agent");
    EXPECT_EQ(settings.record, "r.csv");
    EXPECT_EQ(settings.replay, "p.csv");
    EXPECT_TRUE(settings.golden_chunk);
}

TEST(SelectionRows, AnAgentHasItsWordItsNameInTheSeedAndItsNumber) {
    for (const auto& [written, word] : Given{{"q", "q"},
                                             {"QLearner", "q"},
                                             {"8", "q"},
                                             {"9", "double-q"},
                                             {"SARSA_Learner", "sarsa"},
                                             {"ExpectedSARSALearner", "expected-sarsa"},
                                             {"QVLearner", "qv"},
                                             {"15", "chunk"},
                                             {"ChunkParameterSelector", "chunk"},
                                             {"r", "r"},
                                             {"dqn", "dqn"},
                                             {"linear-q", "linear-q"}}) {
        for (const char* name : {"GIMBAL_RL_AGENT", "MPI_RL_OPTION", "LB4MPI_RL_OPTION"})
            EXPECT_EQ(select_ranks({{name, written}}).agent, word) << name << "=" << written;
        EXPECT_EQ(select({{"GIMBAL_RL_AGENT", written}}).agent, word) << written;
        EXPECT_EQ(select({{"GIMBAL_SELECT", written}}).name, word) << written;
    }
}

TEST(SelectionRows, StealRatiosAreRefusedBetweenThreads) {
    for (const char* name : {"GIMBAL_RL_AGENT", "GIMBAL_SELECT"})
        for (const char* value : {"16", "steal-ratio", "StealRatioSelector"})
            EXPECT_NE(problem(name, value).find("only ranks with distributed data"), std::string::npos)
                << problem(name, value);
    EXPECT_NE(problem("GIMBAL_RL_SELECTOR_TYPE", "15"), "") << "no meta agent inside a meta agent";
}

TEST(SelectionRows, ARewardWithCommasIsTheTriple) {
    for (const char* name :
         {"KMP_RL_REWARD", "LB4MPI_RL_REWARD", "GIMBAL_RL_REWARD", "GIMBAL_RL_REWARD_NUM", "LB4MPI_RL_REWARD_NUM"}) {
        const Given given = {{name, "4.0, 2.0,0.0"}};
        const SelectorSettings settings = speaks_for(name, Levels::threads) ? select(given) : select_ranks(given);
        EXPECT_EQ(settings.rewards, (std::array<double, 3>{4, 2, 0})) << name;
        EXPECT_EQ(settings.reward, "looptime") << name;
    }
    const SelectorSettings both = select({{"KMP_RL_REWARD", "2,0,-2"}, {"GIMBAL_RL_REWARD", "stddev"}});
    EXPECT_EQ(both.reward, "stddev");
    EXPECT_EQ(both.rewards[0], 2);
    Given named = {{"GIMBAL_RL_REWARD", "1,1,1"}, {"KMP_RL_REWARD_NUM", "2,2,2"}, {"KMP_RL_REWARD", "3,3,3"}};
    do EXPECT_EQ(select(named).rewards[0], 1) << "whatever the order";
    while (std::next_permutation(named.begin(), named.end()));
    for (const char* wrong : {"1,2", "1,2,3,4", "a,b,c", "1,,3", ","})
        EXPECT_NE(problem("KMP_RL_REWARD", wrong), "") << wrong;
    EXPECT_NE(problem("GIMBAL_RL_REWARD_NUM", "looptime"), "");
}

TEST(SelectionRows, PortfoliosAreWordsOrTechniques) {
    for (const char* right : {"seed", "expert", "static ss,4;fac2", "gss", " lws,0.8:16 ; ss ;"})
        EXPECT_EQ(problem("GIMBAL_PORTFOLIO", right), "") << right;
    for (const char* wrong : {";", "fac22", "static sarsa", "runtime", "monotonic:ss", "ss ss", "fac2,0"})
        EXPECT_NE(problem("GIMBAL_PORTFOLIO", wrong), "") << wrong;
    EXPECT_NE(problem("GIMBAL_PORTFOLIO", "ss fac22").find("Did you mean \"fac2\"?"), std::string::npos);
}

TEST(SelectionPrecedence, GimbalsNameCountsForBothLevelsAndBeatsTheirAliases) {
    Given three = {{"LB4MPI_RL_ALPHA", "0.1"}, {"KMP_RL_ALPHA", "0.2"}, {"GIMBAL_RL_ALPHA", "0.3"}};
    do {
        EXPECT_EQ(select(three).alpha, 0.3) << "whatever the order";
        EXPECT_EQ(select_ranks(three).alpha, 0.3) << "whatever the order";
    } while (std::next_permutation(three.begin(), three.end()));
    EXPECT_EQ(load(three).options.origin("GIMBAL_RL_ALPHA"), "environment");
    EXPECT_EQ(load({{"GIMBAL_RL_ALPHA", "0.3"}, {"KMP_RL_ALPHA", "9"}}).problems.size(), 1U)
        << "what loses is checked all the same";
}

TEST(SelectionPrecedence, AnAliasSpeaksForItsOwnLevelAlone) {
    const Given both = {{"KMP_RL_ALPHA", "0.2"}, {"LB4MPI_RL_ALPHA", "0.1"}};
    EXPECT_EQ(select(both).alpha, 0.2);
    EXPECT_EQ(select_ranks(both).alpha, 0.1);
    EXPECT_EQ(select({{"LB4MPI_RL_ALPHA", "0.1"}}).alpha, SelectorSettings().alpha);
    EXPECT_EQ(select_ranks({{"KMP_RL_ALPHA", "0.2"}}).alpha, SelectorSettings().alpha);
    const Options options = load({{"LB4MPI_RL_ALPHA", "0.1"}, {"GIMBAL_SEED", "1"}}).options;
    EXPECT_EQ(options.origin("GIMBAL_RL_ALPHA"), "default");
    EXPECT_EQ(names_for_ranks(options), "LB4MPI_RL_ALPHA");
    const std::string text = settings_text(options);
    EXPECT_NE(text.find("  GIMBAL_RL_ALPHA=0.85 "), std::string::npos) << text;
    EXPECT_NE(text.find("  LB4MPI_RL_ALPHA=0.1 "), std::string::npos) << text;
    EXPECT_EQ(names_for_ranks(load({{"GIMBAL_RL_ALPHA", "0.1"}, {"MPI_RL_OPTION", "0"}}).options), "");
}

TEST(SelectionPrecedence, WhoChoosesIsDecidedOnce) {
    const Setting line[] = {{"--schedule", "gss", "command line"}};
    const Setting select_line[] = {{"--select", "expert", "command line"}};
    EXPECT_EQ(select({}).name, "auto");
    EXPECT_EQ(select({{"GIMBAL_SELECT", "Expert"}}).name, "expert");
    EXPECT_EQ(select({{"GIMBAL_SCHEDULE", "gss"}}).name, "fixed");
    EXPECT_EQ(select({{"GIMBAL_SCHEDULE", "sarsa"}}).name, "sarsa");
    EXPECT_EQ(select({{"GIMBAL_SCHEDULE", "runtime"}, {"GIMBAL_SELECT", "rl"}}).name, "rl");
    EXPECT_EQ(select({{"GIMBAL_SCHEDULE", "gss"}, {"GIMBAL_SELECT", "chunk"}}).name, "chunk");
    EXPECT_EQ(select({{"GIMBAL_SELECT", "expert"}}, line).name, "fixed");
    EXPECT_EQ(select({{"GIMBAL_SCHEDULE", "gss"}}, select_line).name, "expert");
}

TEST(SelectionPrecedence, AnAgentSwitchesLearningOnUnlessSomebodyElseChooses) {
    EXPECT_EQ(select({{"GIMBAL_RL_AGENT", "sarsa"}}).name, "rl");
    EXPECT_EQ(select({{"GIMBAL_RL_AGENT", "8"}, {"GIMBAL_SELECT", "binary"}}).name, "binary");
    EXPECT_EQ(select({{"GIMBAL_RL_AGENT", "8"}, {"GIMBAL_SCHEDULE", "gss"}}).name, "fixed");
    EXPECT_EQ(select({{"GIMBAL_RL_AGENT", "0"}}).name, "auto") << "the seed's default: no learning asked for";
    EXPECT_EQ(select({{"GIMBAL_RL_AGENT", "none"}}).agent, "q");
    EXPECT_EQ(select({{"KMP_RL_ALPHA", "0.5"}, {"KMP_RL_POLICY", "softmax"}}).name, "auto");
    for (const char* name : {"MPI_RL_OPTION", "LB4MPI_RL_OPTION"})
        EXPECT_EQ(select({{name, "sarsa"}}).name, "auto") << name << " speaks for ranks";
}

TEST(SelectionOfRanks, WhatSpeaksForThemAloneComesFirst) {
    EXPECT_EQ(select_ranks({}).name, "auto");
    EXPECT_EQ(select_ranks({{"GIMBAL_SELECT", "expert"}}).name, "expert");
    for (const char* name : {"MPI_RL_OPTION", "LB4MPI_RL_OPTION", "GIMBAL_RL_AGENT"})
        EXPECT_EQ(select_ranks({{name, "sarsa"}}).name, "rl") << name;
    EXPECT_EQ(select_ranks({{"MPI_RL_OPTION", "8"}, {"GIMBAL_SELECT", "binary"}}).name, "rl");
    EXPECT_EQ(select_ranks({{"GIMBAL_RL_AGENT", "8"}, {"GIMBAL_SELECT", "binary"}}).name, "binary");
    EXPECT_EQ(select_ranks({{"MPI_RL_OPTION", "0"}, {"GIMBAL_SELECT", "binary"}}).name, "binary");
    EXPECT_EQ(select_ranks({{"GIMBAL_MPI_SCHEDULE", "gss"}, {"GIMBAL_SELECT", "binary"}}).name, "fixed");
    EXPECT_EQ(select_ranks({{"GIMBAL_MPI_SCHEDULE", "gss"}, {"MPI_RL_OPTION", "8"}}).name, "fixed");
    EXPECT_EQ(select_ranks({{"GIMBAL_MPI_SCHEDULE", "sarsa"}, {"GIMBAL_SELECT", "binary"}}).name, "sarsa");
    EXPECT_EQ(select_ranks({{"GIMBAL_MPI_SCHEDULE", "runtime"}, {"GIMBAL_SELECT", "binary"}}).name, "binary");
    EXPECT_EQ(select_ranks({{"GIMBAL_SCHEDULE", "gss"}}).name, "auto") << "that is for threads";
    EXPECT_EQ(select({{"GIMBAL_MPI_SCHEDULE", "gss"}}).name, "auto") << "that is for ranks";
}

TEST(SelectionOfRanks, TheMetaAgentChunkGoesByTheTechniqueThatIsNamed) {
    for (const Given& given : {Given{{"GIMBAL_MPI_SCHEDULE", "gss,4"}, {"MPI_RL_OPTION", "15"}},
                               Given{{"GIMBAL_MPI_SCHEDULE", "gss,4"}, {"GIMBAL_SELECT", "chunk"}}}) {
        const SelectorSettings settings = select_ranks(given);
        EXPECT_EQ(settings.name, "chunk");
        EXPECT_EQ(to_string(settings.schedule), "gss,4");
        EXPECT_EQ(settings.schedule_from, "GIMBAL_MPI_SCHEDULE");
    }
}

TEST(SelectionOfRanks, TheSeedsStealRatioSelectorIsTheAgentOfStealRatios) {
    for (const char* name : {"MPI_RL_OPTION", "LB4MPI_RL_OPTION"})
        for (const char* value : {"16", "steal-ratio", "StealRatioSelector"}) {
            const LoadedOptions loaded = load({{name, value}});
            EXPECT_TRUE(loaded.problems.empty()) << name << "=" << value;
            EXPECT_EQ(loaded.options.ranks.steal_ratio, kAgentSteals);
            EXPECT_EQ(loaded.options.select_ranks.name, "auto") << "no agent chooses techniques";
            EXPECT_EQ(loaded.options.select_ranks.agent, "q");
        }
    EXPECT_EQ(load({{"MPI_RL_OPTION", "16"}, {"GIMBAL_MPI_STEAL_RATIO", "0.25"}}).options.ranks.steal_ratio, 0.25);
}

TEST(SelectionPrecedence, AnyOptionOfSelectionAsksForGimbal) {
    EXPECT_FALSE(asks_for_gimbal(load({}).options));
    EXPECT_FALSE(asks_for_gimbal(load({{"GIMBAL_SEED", "1"}, {"GIMBAL_REPORT", "full"}}).options));
    EXPECT_FALSE(asks_for_gimbal(load({{"GIMBAL_RL_AGENT", "0"}}).options));
    EXPECT_FALSE(asks_for_gimbal(load({{"MPI_RL_OPTION", "8"}, {"LB4MPI_RL_ALPHA", "0.5"}}).options))
        << "what is said of ranks is no wish for threads";
    EXPECT_FALSE(asks_for_gimbal(load({{"GIMBAL_MPI_SCHEDULE", "gss"}}).options));
    for (const auto& [name, value] : Given{{"GIMBAL_SCHEDULE", "runtime"},
                                           {"GIMBAL_SELECT", "auto"},
                                           {"GIMBAL_RL_AGENT", "8"},
                                           {"KMP_RL_ALPHA", "0.5"},
                                           {"GIMBAL_RL_POLICY", "softmax"},
                                           {"GIMBAL_REPLAY", "x"},
                                           {"GIMBAL_RUN_DIR", "x"}})
        EXPECT_TRUE(asks_for_gimbal(load({{name, value}}).options)) << name;
}

TEST(SelectionNames, MisspeltVariablesOfTheSeedsGetTheNearestOfTheirOwn) {
    EXPECT_NE(problem("KMP_RL_ALPA", "1").find("Did you mean \"KMP_RL_ALPHA\"?"), std::string::npos);
    EXPECT_NE(problem("LB4MPI_RL_POLCY", "1").find("Did you mean \"LB4MPI_RL_POLICY\"?"), std::string::npos);
    EXPECT_NE(problem("GIMBAL_RL_GAMA", "1").find("Did you mean \"GIMBAL_RL_GAMMA\"?"), std::string::npos);
    EXPECT_EQ(problem("KMP_RL_ALPA", "1").find("LB4MPI_"), std::string::npos);
    // The variables of learning are named to those who name one, not to everybody.
    EXPECT_NE(problem("GIMBAL_FOO", "1").find(" GIMBAL_RL_... "), std::string::npos);
    EXPECT_EQ(problem("GIMBAL_FOO", "1").find("RL_ALPHA"), std::string::npos);
}

}  // namespace
}  // namespace gimbal
