// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "learn/parameters.hpp"

namespace gimbal::learn {

// The words of every kind, in the order of its enumerators; option tables list them.
inline constexpr std::array<std::string_view, 8> kAgentWords = {"q", "double-q", "qv",      "sarsa", "expected-sarsa",
                                                                "r", "dqn",      "linear-q"};
inline constexpr std::array<std::string_view, 3> kMetaWords = {"none", "chunk", "steal-ratio"};
inline constexpr std::array<std::string_view, 3> kPolicyWords = {"explore-first", "epsilon-greedy", "softmax"};
inline constexpr auto kRewardWords = std::to_array<std::string_view>(
    {"looptime", "looptime-average", "looptime-rolling-average", "looptime-inverse", "robustness", "loadimbalance",
     "stddev", "cov", "skewness", "kurtosis", "ips"});
inline constexpr std::array<std::string_view, 3> kInitWords = {"zero", "random", "optimistic"};
inline constexpr std::array<std::string_view, 3> kDecayWords = {"exponential", "step", "harmonic"};

/// The word of a kind, as the arrays above have it.
/// @errors none  @threads any  @cost O(1)
[[nodiscard]] std::string_view word_of(AgentKind kind) noexcept;
[[nodiscard]] std::string_view word_of(MetaKind kind) noexcept;
[[nodiscard]] std::string_view word_of(PolicyKind kind) noexcept;
[[nodiscard]] std::string_view word_of(RewardKind kind) noexcept;
[[nodiscard]] std::string_view word_of(InitKind kind) noexcept;
[[nodiscard]] std::string_view word_of(DecayKind kind) noexcept;

/// The number of an agent in seed 000, section 4.2, 8 to 12; 15 and 16 for the meta agents; 0 if it has none.
[[nodiscard]] std::uint32_t number_of(AgentKind kind) noexcept;
[[nodiscard]] std::uint32_t number_of(MetaKind kind) noexcept;

/// The kind that a text means: a word of the arrays above, for agents also the seed's names and numbers. Case, blanks
/// and '-' versus '_' do not matter.
/// @return nothing if there is none; an empty text is none
/// @errors none  @threads any  @cost O(words)  @source seed 000, table 4.1; test: tests/unit/learn/names_test.cpp
[[nodiscard]] std::optional<AgentKind> agent_of(std::string_view text) noexcept;
[[nodiscard]] std::optional<MetaKind> meta_of(std::string_view text) noexcept;
[[nodiscard]] std::optional<PolicyKind> policy_of(std::string_view text) noexcept;
[[nodiscard]] std::optional<RewardKind> reward_of(std::string_view text) noexcept;
[[nodiscard]] std::optional<InitKind> init_of(std::string_view text) noexcept;
[[nodiscard]] std::optional<DecayKind> decay_of(std::string_view text) noexcept;

}  // namespace gimbal::learn
