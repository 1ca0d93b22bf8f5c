// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/names.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/spelling.hpp"

namespace gimbal::learn {
namespace {

/// Another spelling, normalised, and what it means.
template <class Kind>
using Alias = std::pair<std::string_view, Kind>;

// The seed's names, and as it shortens them in its text. Its numbers contradict each other: section 4.2 has 10 for QV,
// 11 for SARSA and 12 for Expected-SARSA; the row MPI_RL_OPTION of table 4.1 has 10 for SARSA, 11 for Expected-SARSA
// and 12 for QV. The list of section 4.2 decides here; LB4OMP's program and table 4.1 agree
// with each other, and `auto,N` goes by them.
constexpr std::array<Alias<AgentKind>, 27> kAgentAliases = {{
    {"8", AgentKind::q},
    {"qlearner", AgentKind::q},
    {"qlearn", AgentKind::q},
    {"9", AgentKind::double_q},
    {"doubleqlearner", AgentKind::double_q},
    {"doubleq-learner", AgentKind::double_q},
    {"doubleqlearn", AgentKind::double_q},
    {"10", AgentKind::qv},
    {"qvlearner", AgentKind::qv},
    {"qv-learner", AgentKind::qv},
    {"qvlearn", AgentKind::qv},
    {"11", AgentKind::sarsa},
    {"sarsalearner", AgentKind::sarsa},
    {"sarsa-learner", AgentKind::sarsa},
    {"sarsalearn", AgentKind::sarsa},
    {"12", AgentKind::expected_sarsa},
    {"expectedsarsalearner", AgentKind::expected_sarsa},
    {"expectedsarsa-learner", AgentKind::expected_sarsa},
    {"expectedsarsalearn", AgentKind::expected_sarsa},
    {"expectedsarsa", AgentKind::expected_sarsa},
    {"e-sarsa", AgentKind::expected_sarsa},
    {"rlearner", AgentKind::r},
    {"rlearn", AgentKind::r},
    {"deepqlearner", AgentKind::dqn},
    {"deepqlearn", AgentKind::dqn},
    {"deep-q", AgentKind::dqn},
    {"linearq", AgentKind::linear_q},
}};

constexpr std::array<Alias<MetaKind>, 6> kMetaAliases = {{
    {"0", MetaKind::none},
    {"15", MetaKind::chunk},
    {"chunkparameterselector", MetaKind::chunk},
    {"chunklearner", MetaKind::chunk},
    {"16", MetaKind::steal_ratio},
    {"stealratioselector", MetaKind::steal_ratio},
}};

template <class Kind>
std::optional<Kind> kind_of(std::string_view text, std::span<const std::string_view> words,
                            std::span<const Alias<Kind>> aliases = {}) noexcept {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (technique::spells(text, words[i])) return static_cast<Kind>(i);
    }
    for (const auto& [alias, kind] : aliases) {
        if (technique::spells(text, alias)) return kind;
    }
    return std::nullopt;
}

/// By the enumerator's position.
template <class Kind>
std::string_view word(Kind kind, std::span<const std::string_view> words) noexcept {
    const auto index = static_cast<std::size_t>(kind);
    return index < words.size() ? words[index] : std::string_view{};
}

}  // namespace

std::string_view word_of(AgentKind kind) noexcept {
    return word(kind, kAgentWords);
}
std::string_view word_of(MetaKind kind) noexcept {
    return word(kind, kMetaWords);
}
std::string_view word_of(PolicyKind kind) noexcept {
    return word(kind, kPolicyWords);
}
std::string_view word_of(RewardKind kind) noexcept {
    return word(kind, kRewardWords);
}
std::string_view word_of(InitKind kind) noexcept {
    return word(kind, kInitWords);
}
std::string_view word_of(DecayKind kind) noexcept {
    return word(kind, kDecayWords);
}

std::uint32_t number_of(AgentKind kind) noexcept {
    constexpr std::uint32_t kFirst = 8;
    return kind <= AgentKind::expected_sarsa ? kFirst + static_cast<std::uint32_t>(kind) : 0;
}

std::uint32_t number_of(MetaKind kind) noexcept {
    if (kind == MetaKind::none) return 0;
    return kind == MetaKind::chunk ? 15 : 16;
}

std::optional<AgentKind> agent_of(std::string_view text) noexcept {
    return kind_of<AgentKind>(text, kAgentWords, kAgentAliases);
}
std::optional<MetaKind> meta_of(std::string_view text) noexcept {
    return kind_of<MetaKind>(text, kMetaWords, kMetaAliases);
}
std::optional<PolicyKind> policy_of(std::string_view text) noexcept {
    return kind_of<PolicyKind>(text, kPolicyWords);
}
std::optional<RewardKind> reward_of(std::string_view text) noexcept {
    return kind_of<RewardKind>(text, kRewardWords);
}
std::optional<InitKind> init_of(std::string_view text) noexcept {
    return kind_of<InitKind>(text, kInitWords);
}
std::optional<DecayKind> decay_of(std::string_view text) noexcept {
    return kind_of<DecayKind>(text, kDecayWords);
}

}  // namespace gimbal::learn
