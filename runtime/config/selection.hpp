// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/options.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gimbal {

/// One way to choose a technique for each execution of a loop: a selector, or an agent that learns.
struct SelectorInfo {
    std::string_view name;        ///< canonical: lower case, '-'
    bool agent = false;           ///< an agent of reinforcement learning; GIMBAL_SELECT=rl runs the configured one
    std::uint32_t number = 0;     ///< N of LB4OMP's OMP_SCHEDULE=auto,N; 0: it has none
    std::string_view summary;     ///< one sentence
    std::string_view parameters;  ///< variables that it goes by, blanks between; empty: none
    std::string_view source;      ///< paper, program or seed
};

/// Every selector, then every agent, in the order in which documentation lists them. Their words may stand wherever a
/// technique may; no technique has one of them.
/// @threads any  @cost O(1); constant-initialised, so safe in a library constructor
[[nodiscard]] std::span<const SelectorInfo> selectors() noexcept;

/// The selector or agent of that name, or of one of the agent's names in the seeds ("QLearner"). Case, blanks and '-'
/// versus '_' do not matter. Numbers are not names.
/// @return nullptr if there is none  @errors none  @threads any  @cost O(words)
[[nodiscard]] const SelectorInfo* find_selector(std::string_view text) noexcept;

/// The one that OMP_SCHEDULE=auto,N asks LB4OMP for; its 6 and 7 are other numbers of `q`.
/// @return nullptr if there is none  @source LB4OMP's agent provider
[[nodiscard]] const SelectorInfo* selector_of_auto(std::uint64_t number) noexcept;

/// "2 random 3 exhaustive ...": what may stand behind `auto,`.
[[nodiscard]] std::string auto_numbers();

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

/// Bring GIMBAL_SCHEDULE, GIMBAL_SELECT and GIMBAL_RL_AGENT together in select.name, once all are read. For threads:
///  - GIMBAL_SELECT beats a technique or selector in GIMBAL_SCHEDULE, unless that comes from a stronger source
///    (set_option(), command line, environment, file). The technique stays in `schedule`: the meta agent `chunk` goes
///    by it;
///  - otherwise a technique in GIMBAL_SCHEDULE makes it `fixed`, a selector there becomes it;
///  - GIMBAL_RL_AGENT without the two makes select.name `rl`: it is the seed's switch. Other variables of learning
///    switch nothing.
/// For ranks, in select_ranks.name, what speaks for them alone comes first:
///  - a technique in GIMBAL_MPI_SCHEDULE makes it `fixed`, a selector there becomes it; but the meta agent `chunk`, as
///    selector or as agent, goes by the technique;
///  - MPI_RL_OPTION makes it `rl`; `steal-ratio` there is GIMBAL_MPI_STEAL_RATIO=agent, unless that is given; `none`
///    there, or in GIMBAL_RL_AGENT, which beats it, leaves ranks.agent empty;
///  - GIMBAL_SELECT, and then GIMBAL_RL_AGENT, as for threads.
/// @errors std::bad_alloc
void resolve_selection(Options& options);

/// Whether the user asked for Gimbal between threads other than by OMP_SCHEDULE: `gimbal run`, GIMBAL_SCHEDULE, or any
/// option of selection (GIMBAL_SELECT, GIMBAL_RL_..., KMP_RL_...) is given. An agent `none` is no wish, nor is what
/// speaks for ranks alone.
/// @threads any  @cost O(options)
[[nodiscard]] bool asks_for_gimbal(const Options& options);

/// Names in the environment that spoke for ranks alone (LB4MPI_RL_..., MPI_RL_OPTION), commas between; empty: none.
[[nodiscard]] std::string names_for_ranks(const Options& options);

/// Read GIMBAL_PORTFOLIO: `seed`, `expert`, or schedules with blanks or ';' between them.
/// @return the text, if it is right
/// @errors gimbal::Error(invalid_option): hint() names the nearest technique, if any
[[nodiscard]] std::string read_portfolio(std::string_view text);

}  // namespace gimbal
