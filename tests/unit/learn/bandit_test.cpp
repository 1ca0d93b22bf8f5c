// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it is all for: every agent finds the fastest action, under every policy and by every reward that can know.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "gimbal/random.hpp"
#include "learn/learner.hpp"
#include "learn/names.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::learn;

constexpr std::uint32_t kActions = 6;

/// What one execution takes hardly depends on the one before, so a bandit's agent need not look far ahead; those who
/// learn what their policy earns (qv, sarsa) or half as often (double-q) get lost for thousands of steps if they do.
constexpr double kShortSighted = 0.5;

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

std::uint32_t found(const Parameters& parameters, std::uint32_t fastest, std::uint64_t seed, int steps,
                    Signals (*execute)(std::uint32_t, std::uint32_t, Random&) = run) {
    const auto learner = make_learner(parameters, kActions, seed);
    Random random(1000 + seed);
    for (int t = 0; t < steps; ++t) {
        const Pick pick = learner->next();
        learner->observe(pick, execute(pick.action, fastest, random));
    }
    return learner->best();
}

class Bandit : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Bandit, FindsTheFastest) {
    const auto agent = static_cast<AgentKind>(std::get<0>(GetParam()));
    const auto policy = static_cast<PolicyKind>(std::get<1>(GetParam()));
    for (const std::uint32_t fastest : {0u, 2u, kActions - 1}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Parameters parameters{.agent = agent, .policy = policy, .gamma = kShortSighted, .tau = 0.5};
            EXPECT_EQ(found(parameters, fastest, seed, 600), fastest) << "seed " << seed;
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

// With the defaults, the steps of the source's runs are enough for these.
TEST(BanditDefaults, FindTheFastest) {
    for (const AgentKind agent : {AgentKind::q, AgentKind::sarsa, AgentKind::expected_sarsa, AgentKind::r,
                                  AgentKind::dqn, AgentKind::linear_q}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            for (const std::uint32_t fastest : {0u, 2u, kActions - 1}) {
                EXPECT_EQ(found({.agent = agent}, fastest, seed, 1500), fastest) << word_of(agent);
            }
        }
    }
}

/// All but the fastest are alike: rewards that know only "faster than the mean" cannot rank two that are.
Signals run_alike(std::uint32_t action, std::uint32_t fastest, Random& random) {
    return run(action == fastest ? 0 : 2, 0, random);
}

// Rewards above zero make what was visited look better than what was not, so all has to be visited.
TEST(BanditRewards, AllLeadToTheFastest) {
    for (std::size_t i = 0; i < kRewardWords.size(); ++i) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Parameters parameters{.policy = PolicyKind::epsilon_greedy,
                                        .reward = static_cast<RewardKind>(i),
                                        .gamma = kShortSighted,
                                        .epsilon_decay = 0};
            EXPECT_EQ(found(parameters, 2, seed, 1500, run_alike), 2u) << kRewardWords[i] << ", seed " << seed;
        }
    }
}

TEST(BanditInitialisers, AllLeadToTheFastest) {
    for (std::size_t i = 0; i < kInitWords.size(); ++i) {
        for (std::size_t agent = 0; agent < kAgentWords.size(); ++agent) {
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                const Parameters parameters{.agent = static_cast<AgentKind>(agent),
                                            .policy = PolicyKind::epsilon_greedy,
                                            .init = static_cast<InitKind>(i),
                                            .gamma = kShortSighted};
                EXPECT_EQ(found(parameters, 2, seed, 1500), 2u) << kInitWords[i] << ' ' << kAgentWords[agent];
            }
        }
    }
}

// The loop changes: what was fastest becomes the slowest, and what was slowest the fastest.
TEST(Bandit, RelearnsUnderEpsilonGreedy) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto learner = make_learner({.policy = PolicyKind::epsilon_greedy}, kActions, seed);
        Random random(seed);
        for (int t = 0; t < 10000; ++t) {
            const Pick pick = learner->next();
            learner->observe(pick, run(pick.action, t < 500 ? 0 : kActions - 1, random));
        }
        EXPECT_EQ(learner->best(), kActions - 1) << seed;
    }
}

}  // namespace
