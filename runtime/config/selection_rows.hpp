// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <limits>

#include "config/selection.hpp"
#include "config/selection_row_kinds.hpp"
#include "learn/names.hpp"
#include "learn/portfolio.hpp"

// The part of the option table that is about selection: which selector, and table 4.1 of seed 000. Aliases are the
// seed's names: KMP_ ones speak for the thread level, the others for the rank level (levels_of()). Where several of one
// level are given, the first wins.

namespace gimbal::selection_rows {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <std::size_t N>
using Names = std::array<std::string_view, N>;

inline constexpr Names<2> kGamma = {"KMP_RL_GAMMA", "LB4MPI_RL_GAMMA"};
inline constexpr Names<2> kAlpha = {"KMP_RL_ALPHA", "LB4MPI_RL_ALPHA"};
inline constexpr Names<2> kAlphaDecay = {"KMP_RL_ALPHA_DECAY", "LB4MPI_RL_ALPHA_DECAY"};
inline constexpr Names<2> kAlphaMin = {"KMP_RL_ALPHA_MIN", "LB4MPI_RL_ALPHA_MIN"};
inline constexpr Names<2> kEpsilon = {"KMP_RL_EPSILON", "LB4MPI_RL_EPSILON"};
inline constexpr Names<2> kEpsDecay = {"KMP_RL_EPS_DECAY", "LB4MPI_RL_EPS_DECAY"};
inline constexpr Names<2> kEpsMin = {"KMP_RL_EPS_MIN", "LB4MPI_RL_EPS_MIN"};
inline constexpr Names<2> kTau = {"KMP_RL_TAU", "LB4MPI_RL_TAU"};
inline constexpr Names<2> kInvMult = {"KMP_RL_INV_MULT", "LB4MPI_RL_INV_MULT"};
inline constexpr Names<2> kAvgWindow = {"KMP_RL_AVG_WINDOW", "LB4MPI_RL_AVG_WINDOW"};
inline constexpr Names<1> kPortfolioSize = {"LB4MPI_RL_SR_PORTFOLIO_SIZE"};
inline constexpr Names<2> kAgent = {"MPI_RL_OPTION", "LB4MPI_RL_OPTION"};
// CHUNK_TYPE, and REWARD_NUM below, are what LB4OMP's program reads.
inline constexpr Names<3> kSecondary = {"KMP_RL_SELECTOR_TYPE", "KMP_RL_CHUNK_TYPE", "LB4MPI_RL_SELECTOR_TYPE"};
inline constexpr Names<2> kPolicy = {"KMP_RL_POLICY", "LB4MPI_RL_POLICY"};
inline constexpr Names<2> kReward = {"KMP_RL_REWARD", "LB4MPI_RL_REWARD"};
inline constexpr Names<2> kRewardNum = {"KMP_RL_REWARD_NUM", "LB4MPI_RL_REWARD_NUM"};
inline constexpr Names<2> kInit = {"KMP_RL_INIT", "LB4MPI_RL_INIT"};
inline constexpr Names<2> kDecay = {"KMP_RL_DECAY", "LB4MPI_RL_DECAY"};
inline constexpr Names<2> kStats = {"KMP_RL_AGENT_STATS", "LB4MPI_RL_AGENT_STATS"};

using S = SelectorSettings;

inline constexpr OptionSpec kSelect = {.name = "GIMBAL_SELECT",
                                       .type = OptionType::choice,
                                       .fallback = "auto",
                                       .choices = kSelectorWords,
                                       .level = kBothLevels,
                                       .flag = "--select",
                                       .doc =
                                           "Who chooses the technique of loops for which GIMBAL_SCHEDULE, GIMBAL_LOOPS "
                                           "or GIMBAL_MPI_SCHEDULE name none: a "
                                           "selector, or an agent that learns.",
                                       .canonical = selector_word,
                                       .also = "an agent's name or number in LB4MPI (QLearner 8)",
                                       .select = set_text<&S::name>};

inline constexpr OptionSpec kAgentRow = {
    .name = "GIMBAL_RL_AGENT",
    .aliases = kAgent,
    .type = OptionType::choice,
    .fallback = "q",
    .choices = kAgentRowWords,
    .level = kBothLevels,
    .doc =
        "Agent of the selector rl, which it switches on unless GIMBAL_SELECT or a schedule says otherwise; none: not "
        "given.",
    .canonical = agent_word,
    .also =
        "QLearner DoubleQLearner SARSALearner ExpectedSARSALearner QVLearner ChunkParameterSelector; their "
        "numbers; 0; for ranks alone StealRatioSelector",
    .select = set_agent};

inline constexpr std::array<OptionSpec, 27> kRows = {{
    kSelect,
    {.name = "GIMBAL_PORTFOLIO",
     .type = OptionType::portfolio,
     .fallback = "seed",
     .level = kBothLevels,
     .doc =
         "What selectors choose among: the twelve techniques of Birgovan 2023 (seed), Auto4OMP's (expert), or a list.",
     .select = set_text<&S::portfolio>},
    {.name = "GIMBAL_GOLDEN_CHUNK",
     .type = OptionType::boolean,
     .fallback = "off",
     .level = kBothLevels,
     .doc = "Whether techniques of the portfolio that name no chunk get Auto4OMP's golden chunk.",
     .select = [](S& s, const OptionValue& v) { s.golden_chunk = std::get<bool>(v); }},
    {.name = "GIMBAL_BACKGROUND",
     .type = OptionType::boolean,
     .fallback = "on",
     .level = kBothLevels,
     .doc = "Whether auto and simulate predict on a thread of their own; off: the thread that ends the loop does.",
     .select = [](S& s, const OptionValue& v) { s.background = std::get<bool>(v); }},
    kAgentRow,
    word_row<&S::policy>("GIMBAL_RL_POLICY", kPolicy, learn::kPolicyWords, policy_word,
                         "How the agent explores; epsilon is the probability to explore."),
    {.name = "GIMBAL_RL_REWARD",
     .aliases = kReward,
     .type = OptionType::choice,
     .fallback = "looptime",
     .choices = learn::kRewardWords,
     .level = kBothLevels,
     .doc = "What the agent is rewarded for; a value with commas is GIMBAL_RL_REWARD_NUM.",
     .canonical = reward_word,
     .also = "three numbers",
     .with_commas = "GIMBAL_RL_REWARD_NUM",
     .select = set_text<&S::reward>},
    {.name = "GIMBAL_RL_REWARD_NUM",
     .aliases = kRewardNum,
     .type = OptionType::reals,
     .fallback = "0.01,-2,-4",
     .low = -1e9,
     .high = 1e9,
     .count = 3,
     .level = kBothLevels,
     .doc = "Good, neutral and bad reward.",
     .select = set_rewards},
    word_row<&S::init>("GIMBAL_RL_INIT", kInit, learn::kInitWords, init_word,
                       "Initial values of the agent: zero, random, or higher than any reward."),
    word_row<&S::decay>("GIMBAL_RL_DECAY", kDecay, learn::kDecayWords, decay_word,
                        "How alpha and epsilon fall with the steps."),
    real_row<&S::gamma>("GIMBAL_RL_GAMMA", kGamma, "0.95", 1, "Discount factor: what the future counts."),
    real_row<&S::alpha>("GIMBAL_RL_ALPHA", kAlpha, "0.85", 1, "Learning rate."),
    real_row<&S::alpha_decay>("GIMBAL_RL_ALPHA_DECAY", kAlphaDecay, "0.01", 1, "Decay of the learning rate per step."),
    real_row<&S::alpha_min>("GIMBAL_RL_ALPHA_MIN", kAlphaMin, "0.10", 1, "Smallest learning rate."),
    real_row<&S::epsilon>("GIMBAL_RL_EPSILON", kEpsilon, "0.90", 1, "Probability to explore under epsilon-greedy."),
    real_row<&S::epsilon_decay>("GIMBAL_RL_EPS_DECAY", kEpsDecay, "0.01", 1, "Decay of epsilon per step."),
    real_row<&S::epsilon_min>("GIMBAL_RL_EPS_MIN", kEpsMin, "0.10", 1, "Smallest epsilon."),
    real_row<&S::tau>("GIMBAL_RL_TAU", kTau, "1.5", kInfinity,
                      "Inverse temperature of softmax (higher: greedier), and tolerance of the reward robustness."),
    real_row<&S::inverse_multiplier>("GIMBAL_RL_INV_MULT", kInvMult, "10",
                                     1e9,  // times 1 / loop time, far from infinity
                                     "Factor of the reward looptime-inverse."),
    {.name = "GIMBAL_RL_AVG_WINDOW",
     .aliases = kAvgWindow,
     .type = OptionType::integer,
     .fallback = "10",
     .low = 1,  // the table's 0 would be the mean of nothing
     .high = 1e6,
     .level = kBothLevels,
     .doc = "Steps in the mean of the reward looptime-rolling-average.",
     .select = set_integer<&S::average_window>},
    {.name = "GIMBAL_RL_TIME_STEPS_LIMIT",
     .type = OptionType::integer,
     .fallback = "0",
     .high = 1e15,
     .level = kBothLevels,
     .doc = "Stop searching after so many executions of a loop and keep the best; 0: never.",
     .select = set_integer<&S::steps_limit>},
    {.name = "GIMBAL_RL_SELECTOR_TYPE",
     .aliases = kSecondary,
     .type = OptionType::choice,
     .fallback = "q",
     .choices = learn::kAgentWords,
     .level = kBothLevels,
     .doc = "Agent inside a meta agent (chunk, steal-ratio).",
     .canonical = secondary_word,
     .also = "QLearner ...; their numbers",
     .select = set_text<&S::secondary>},
    {.name = "GIMBAL_RL_SR_PORTFOLIO_SIZE",
     .aliases = kPortfolioSize,
     .type = OptionType::integer,
     .fallback = "10",
     .low = learn::kMinStealRatios,
     .high = learn::kMaxStealRatios,
     .level = "rank",
     .doc = "How many steal ratios to choose from; for distributed data.",
     .select = set_integer<&S::steal_ratios>},
    file_row<&S::agent_stats>("GIMBAL_RL_AGENT_STATS", kStats, "",
                              "File for what the agents did in each step; %r, %p as for GIMBAL_OUTPUT."),
    {.name = "GIMBAL_RL_DEBUG",
     .type = OptionType::integer,
     .fallback = "0",
     .high = 2,
     .level = kBothLevels,
     .doc = "How much the agents say of each step on standard error.",
     .select = set_integer<&S::debug>},
    file_row<&S::record>("GIMBAL_RECORD", {}, "--record",
                         "File to record every choice in, for GIMBAL_REPLAY; %r, %p as for GIMBAL_OUTPUT."),
    file_row<&S::replay>("GIMBAL_REPLAY", {}, "--replay", "File of recorded choices to follow instead of choosing."),
}};

}  // namespace gimbal::selection_rows
