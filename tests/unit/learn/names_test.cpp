// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace {

using namespace gimbal::learn;

/// Every word means its enumerator, and the other way round, in any case and with '_'.
template <class Kind, std::size_t N>
void expect_round_trip(const std::array<std::string_view, N>& words, std::optional<Kind> (*read)(std::string_view),
                       Kind last) {
    ASSERT_EQ(static_cast<std::size_t>(last) + 1, N);
    for (std::size_t i = 0; i < N; ++i) {
        const auto kind = static_cast<Kind>(i);
        EXPECT_EQ(word_of(kind), words[i]);
        EXPECT_EQ(read(words[i]), kind) << words[i];
        std::string shouted(words[i]);
        for (char& letter : shouted) {
            letter = letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
        }
        EXPECT_EQ(read(shouted), kind) << shouted;
    }
    EXPECT_EQ(read(""), std::nullopt);
    EXPECT_EQ(read("-"), std::nullopt);
    EXPECT_EQ(read("something"), std::nullopt);
    EXPECT_EQ(read(std::string(words[0]) + "x"), std::nullopt);
}

TEST(Names, EveryWordMeansItsKindAndBack) {
    expect_round_trip(kAgentWords, agent_of, AgentKind::linear_q);
    expect_round_trip(kMetaWords, meta_of, MetaKind::steal_ratio);
    expect_round_trip(kPolicyWords, policy_of, PolicyKind::softmax);
    expect_round_trip(kRewardWords, reward_of, RewardKind::ips);
    expect_round_trip(kInitWords, init_of, InitKind::optimistic);
    expect_round_trip(kDecayWords, decay_of, DecayKind::harmonic);
}

TEST(Names, AgentsGoByTheSeedsNamesAndNumbers) {
    for (const char* text : {"8", "QLearner", "q", " Q "}) EXPECT_EQ(agent_of(text), AgentKind::q);
    for (const char* text : {"9", "DoubleQLearner", "double_q"}) EXPECT_EQ(agent_of(text), AgentKind::double_q);
    for (const char* text : {"10", "QVLearner", "QV_Learner"}) EXPECT_EQ(agent_of(text), AgentKind::qv);
    for (const char* text : {"11", "SARSALearner", "SARSA_Learner"}) EXPECT_EQ(agent_of(text), AgentKind::sarsa);
    for (const char* text : {"12", "ExpectedSARSALearner", "ExpectedSARSA_Learner"}) {
        EXPECT_EQ(agent_of(text), AgentKind::expected_sarsa);
    }
    for (const char* text : {"15", "ChunkParameterSelector"}) EXPECT_EQ(meta_of(text), MetaKind::chunk);
    for (const char* text : {"16", "StealRatioSelector"}) EXPECT_EQ(meta_of(text), MetaKind::steal_ratio);
    for (const char* text : {"7", "13", "15", "ChunkParameterSelector"}) EXPECT_EQ(agent_of(text), std::nullopt);
    for (const char* text : {"8", "14", "QLearner"}) EXPECT_EQ(meta_of(text), std::nullopt);
}

TEST(Names, NumbersMeanTheAgentThatHasThem) {
    int numbered = 0;
    for (std::size_t i = 0; i < kAgentWords.size(); ++i) {
        const auto kind = static_cast<AgentKind>(i);
        if (number_of(kind) == 0) continue;
        ++numbered;
        EXPECT_EQ(agent_of(std::to_string(number_of(kind))), kind);
    }
    EXPECT_EQ(numbered, 5);
    EXPECT_EQ(number_of(MetaKind::chunk), 15u);
    EXPECT_EQ(number_of(MetaKind::steal_ratio), 16u);
    EXPECT_EQ(number_of(MetaKind::none), 0u);
}

}  // namespace
