// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

}  // namespace gimbal
