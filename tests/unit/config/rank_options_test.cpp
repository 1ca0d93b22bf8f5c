// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "config/load.hpp"

namespace gimbal {
namespace {

LoadedOptions load(const std::string& name, const std::string& value) {
    Environment environment;
    environment.settings.push_back({name, value, "environment"});
    return load_options(environment);
}

/// The settings when all is right.
RankSettings ranks(const std::string& name, const std::string& value) {
    const LoadedOptions loaded = load(name, value);
    for (const Error& error : loaded.problems) ADD_FAILURE() << message_text(error, "error");
    return loaded.options.ranks;
}

std::string problem(const std::string& name, const std::string& value) {
    const LoadedOptions loaded = load(name, value);
    return loaded.problems.empty() ? "" : message_text(loaded.problems.front(), "error");
}

TEST(RankOptions, DefaultsAreThoseOfTheSettings) {
    const RankSettings table = load_options({}).options.ranks;
    const RankSettings plain;
    EXPECT_EQ(table.schedule, plain.schedule);
    EXPECT_EQ(table.transport, plain.transport);
    EXPECT_EQ(table.robust, plain.robust);
    EXPECT_EQ(table.steal_by_seed, plain.steal_by_seed);
    EXPECT_EQ(table.steal_ratio, plain.steal_ratio);
    EXPECT_EQ(table.poll_us, plain.poll_us);
    EXPECT_EQ(table.node_ranks, plain.node_ranks);
}

TEST(RankOptions, EveryTransportHasItsWord) {
    EXPECT_EQ(ranks("GIMBAL_MPI_TRANSPORT", "auto").transport, RankTransport::automatic);
    EXPECT_EQ(ranks("GIMBAL_MPI_TRANSPORT", "Shared").transport, RankTransport::shared);
    EXPECT_EQ(ranks("GIMBAL_MPI_TRANSPORT", "foreman").transport, RankTransport::foreman);
    EXPECT_EQ(ranks("GIMBAL_MPI_TRANSPORT", " hierarchical ").transport, RankTransport::hierarchical);
    EXPECT_NE(problem("GIMBAL_MPI_TRANSPORT", "forman").find("Did you mean \"foreman\"?"), std::string::npos);
    for (const std::string gone : {"rma", "rma-always"}) {
        const std::string said = problem("GIMBAL_MPI_TRANSPORT", gone);
        EXPECT_EQ(said.find("gimbal: error: GIMBAL_MPI_TRANSPORT: unknown value \"" + gone + "\""), 0U) << said;
        EXPECT_NE(said.find("allowed: auto shared foreman hierarchical"), std::string::npos) << said;
    }
}

TEST(RankOptions, AScheduleIsReadAsForThreads) {
    EXPECT_EQ(to_string(ranks("GIMBAL_MPI_SCHEDULE", "FAC2,16").schedule), "fac2,16");
    EXPECT_EQ(to_string(ranks("GIMBAL_MPI_SCHEDULE", "sarsa").schedule), "sarsa");
    EXPECT_EQ(to_string(ranks("GIMBAL_MPI_SCHEDULE", "runtime").schedule), "runtime");
    const std::string wrong = problem("GIMBAL_MPI_SCHEDULE", "fac22");
    EXPECT_TRUE(
        wrong.starts_with("gimbal: error: GIMBAL_MPI_SCHEDULE: unknown technique \"fac22\" (from the "
                          "environment). Did you mean \"fac2\"?\n        allowed: static ss "))
        << wrong;
}

TEST(RankOptions, ARatioIsAPartFairOrTheAgents) {
    EXPECT_EQ(ranks("GIMBAL_MPI_STEAL_RATIO", "0.5").steal_ratio, 0.5);
    EXPECT_EQ(ranks("GIMBAL_MPI_STEAL_RATIO", "1").steal_ratio, 1);
    EXPECT_EQ(ranks("GIMBAL_MPI_STEAL_RATIO", "1e-3").steal_ratio, 1e-3);
    EXPECT_EQ(ranks("GIMBAL_MPI_STEAL_RATIO", " Fair ").steal_ratio, kFairSteal);
    EXPECT_EQ(ranks("GIMBAL_MPI_STEAL_RATIO", "agent").steal_ratio, kAgentSteals);
    for (const char* wrong : {"0", "1.01", "-0.5", "nan", "inf", "half", "", "0.5x", "1e999", "50"})
        EXPECT_NE(problem("GIMBAL_MPI_STEAL_RATIO", wrong).find("allowed: fair agent, or a number in (0, 1]"),
                  std::string::npos)
            << wrong;
    for (const char* percent : {"50", "50 %", "50%"})
        EXPECT_NE(problem("GIMBAL_MPI_STEAL_RATIO", percent).find("Did you mean \"0.5\"?"), std::string::npos)
            << problem("GIMBAL_MPI_STEAL_RATIO", percent);
    EXPECT_NE(problem("GIMBAL_MPI_STEAL_RATIO", "agnet").find("Did you mean \"agent\"?"), std::string::npos);
}

TEST(RankOptions, NumbersAndSwitchesHaveTheirRanges) {
    EXPECT_EQ(ranks("GIMBAL_MPI_POLL_US", "1").poll_us, 1U);
    EXPECT_EQ(ranks("GIMBAL_MPI_POLL_US", "1000000").poll_us, 1000000U);
    EXPECT_EQ(ranks("GIMBAL_MPI_NODE_RANKS", "2").node_ranks, 2U);
    EXPECT_TRUE(ranks("GIMBAL_MPI_ROBUST", "on").robust);
    EXPECT_TRUE(ranks("GIMBAL_MPI_STEAL", "seed").steal_by_seed);
    EXPECT_FALSE(ranks("GIMBAL_MPI_STEAL", "nearest").steal_by_seed);
    for (const auto& [name, value] : {std::pair("GIMBAL_MPI_POLL_US", "0"),
                                      {"GIMBAL_MPI_POLL_US", "1000001"},
                                      {"GIMBAL_MPI_POLL_US", "0.5"},
                                      {"GIMBAL_MPI_NODE_RANKS", "-1"},
                                      {"GIMBAL_MPI_NODE_RANKS", "1048577"},
                                      {"GIMBAL_MPI_ROBUST", "maybe"},
                                      {"GIMBAL_MPI_STEAL", "random"}})
        EXPECT_NE(problem(name, value), "") << name << "=" << value;
}

TEST(RankOptions, MisspeltNamesGetTheNearestOfTheirOwn) {
    EXPECT_NE(problem("GIMBAL_MPI_TRANSPRT", "1").find("Did you mean \"GIMBAL_MPI_TRANSPORT\"?"), std::string::npos);
    EXPECT_NE(problem("GIMBAL_MPI_FOO", "1").find("allowed: GIMBAL_MPI_SCHEDULE GIMBAL_MPI_TRANSPORT"),
              std::string::npos)
        << problem("GIMBAL_MPI_FOO", "1");
    EXPECT_EQ(problem("GIMBAL_MPI_FOO", "1").find("NODE_RANKS"), std::string::npos) << "for tests alone";
    EXPECT_NE(problem("GIMBAL_FOO", "1").find(" GIMBAL_MPI_... "), std::string::npos);
    EXPECT_EQ(problem("GIMBAL_FOO", "1").find("GIMBAL_MPI_TRANSPORT"), std::string::npos) << "not to everybody";
}

}  // namespace
}  // namespace gimbal
