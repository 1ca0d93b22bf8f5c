// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace gimbal {

/// What GIMBAL_SELECT lists: the words of selectors().
inline constexpr std::array<std::string_view, 18> kSelectorWords = {
    "auto", "fixed",    "random", "exhaustive",     "binary", "expert", "simulate", "rl",       "levels",
    "q",    "double-q", "sarsa",  "expected-sarsa", "qv",     "r",      "dqn",      "linear-q", "chunk"};

/// What GIMBAL_RL_AGENT lists.
inline constexpr std::array<std::string_view, 10> kAgentRowWords = {
    "q", "double-q", "qv", "sarsa", "expected-sarsa", "r", "dqn", "linear-q", "chunk", "none"};

/// What GIMBAL_MPI_STEAL_RATIO lists.
inline constexpr std::array<std::string_view, 2> kStealRatioWords = {"fair", "agent"};

// Readers of choices: the canonical word of a user's spelling, or empty if there is none. Case, blanks and '-' versus
// '_' do not matter; where agents are meant, the seeds' names and numbers count too.

/// @errors gimbal::Error(invalid_option) for steal-ratio, which has no meaning between threads
[[nodiscard]] std::string selector_word(std::string_view text);
/// `steal-ratio` among them: refuse_steal_ratio() for threads
[[nodiscard]] std::string agent_word(std::string_view text);
[[nodiscard]] std::string secondary_word(std::string_view text);
[[nodiscard]] std::string policy_word(std::string_view text);
[[nodiscard]] std::string reward_word(std::string_view text);
[[nodiscard]] std::string init_word(std::string_view text);
[[nodiscard]] std::string decay_word(std::string_view text);
/// `fair`, `agent`, or a number in (0, 1] as it was written.
/// @errors gimbal::Error(invalid_option) for other numbers; hint() has the part that a percentage means
[[nodiscard]] std::string steal_ratio_word(std::string_view text);

/// @errors gimbal::Error(invalid_option) if an agent's word is steal-ratio, which means nothing between threads
void refuse_steal_ratio(std::string_view text);

}  // namespace gimbal
