// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it is all for: every agent finds the fastest action, under every policy and by every reward that can know.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "learn/learner.hpp"
#include "learn/names.hpp"
#include "technique/random.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;

constexpr std::uint32_t kActions = 6;

/// One action is fastest and best balanced; the others are the slower the farther they are from it. 2 % noise.
Signals run(std::uint32_t action, std::uint32_t fastest, Random& random) {
    const std::uint32_t away = action > fastest ? action - fastest : fastest - action;
    const double imbalance = (0.05 + 0.2 * away) * (1 + 0.02 * random.unit());
    const double time = 1e-3 * (1 + imbalance);
    return {.loop_time_s = time,
            .imbalance = {.percent_imbalance = imbalance,
                          .cov = imbalance / 2,
                          .sd = imbalance / 3,
                          .skewness = -imbalance,
                          .kurtosis = imbalance * 2},
            .instructions_per_second = 1e9 / time};
}

std::uint32_t found(const Parameters& parameters, std::uint32_t fastest, std::uint64_t seed, int steps) {
    const auto learner = make_learner(parameters, kActions, seed);
    Random random(1000 + seed);
    for (int t = 0; t < steps; ++t) {
        const Pick pick = learner->next();
        learner->observe(pick, run(pick.action, fastest, random));
    }
    return learner->best();
}

class Bandit : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Bandit, FindsTheFastest) {
    const auto agent = static_cast<AgentKind>(std::get<0>(GetParam()));
    const auto policy = static_cast<PolicyKind>(std::get<1>(GetParam()));
    for (const std::uint32_t fastest : {0u, 2u, kActions - 1}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            EXPECT_EQ(found({.agent = agent, .policy = policy}, fastest, seed, 600), fastest) << "seed " << seed;
        }
    }
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, int>>& info) {
    std::string name = std::string(word_of(static_cast<AgentKind>(std::get<0>(info.param)))) + "_" +
                       std::string(word_of(static_cast<PolicyKind>(std::get<1>(info.param))));
    for (char& letter : name) {
        if (letter == '-') letter = '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, Bandit,
                         testing::Combine(testing::Range(0, static_cast<int>(kAgentWords.size())),
                                          testing::Range(0, static_cast<int>(kPolicyWords.size()))),
                         name_of);

TEST(BanditRewards, AllLeadToTheFastest) {
    for (std::size_t i = 0; i < kRewardWords.size(); ++i) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            EXPECT_EQ(found({.reward = static_cast<RewardKind>(i)}, 2, seed, 300), 2u) << kRewardWords[i];
        }
    }
}

TEST(BanditInitialisers, AllLeadToTheFastest) {
    for (std::size_t i = 0; i < kInitWords.size(); ++i) {
        for (std::size_t agent = 0; agent < kAgentWords.size(); ++agent) {
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                const Parameters parameters{.agent = static_cast<AgentKind>(agent),
                                            .policy = PolicyKind::epsilon_greedy,
                                            .init = static_cast<InitKind>(i)};
                EXPECT_EQ(found(parameters, 2, seed, 1500), 2u) << kInitWords[i] << ' ' << kAgentWords[agent];
            }
        }
    }
}

// No other action may be worth trying when the loop changes: whoever was best becomes the slowest.
TEST(Bandit, RelearnsUnderEpsilonGreedy) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto learner = make_learner({.policy = PolicyKind::epsilon_greedy}, kActions, seed);
        Random random(seed);
        for (int t = 0; t < 3000; ++t) {
            const Pick pick = learner->next();
            learner->observe(pick, run(pick.action, t < 500 ? 0 : kActions - 1, random));
        }
        EXPECT_EQ(learner->best(), kActions - 1) << seed;
    }
}

}  // namespace
