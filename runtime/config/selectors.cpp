// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/selection.hpp"

#include <array>

#include "base/spelling.hpp"
#include "learn/names.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kAuto4Omp = "Mohammed et al. 2022 (Auto4OMP)";
constexpr std::string_view kPortfolio = "GIMBAL_PORTFOLIO GIMBAL_GOLDEN_CHUNK";
constexpr std::string_view kLearning = "GIMBAL_PORTFOLIO GIMBAL_GOLDEN_CHUNK GIMBAL_RL_*";
constexpr std::string_view kSimulating = "GIMBAL_PORTFOLIO GIMBAL_GOLDEN_CHUNK GIMBAL_BACKGROUND";
constexpr std::string_view kMeta = "GIMBAL_SCHEDULE GIMBAL_MPI_SCHEDULE GIMBAL_RL_SELECTOR_TYPE GIMBAL_RL_*";

constexpr std::array<SelectorInfo, 18> kSelectors = {{
    {"auto", false, 0, "The default: what iterations cost, once measured, and simulated executions decide.",
     "GIMBAL_BACKGROUND", "Bull 1998; Mohammed and Ciorba 2020 (SimAS); Gimbal"},
    {"fixed", false, 0, "Always the technique of GIMBAL_SCHEDULE, for ranks of GIMBAL_MPI_SCHEDULE, or fac2.",
     "GIMBAL_SCHEDULE GIMBAL_MPI_SCHEDULE", "Gimbal"},
    {"random", false, 2, "Jumps to any technique, the likelier the worse the loop is balanced.", kPortfolio, kAuto4Omp},
    {"exhaustive", false, 3, "Tries every technique once and keeps the fastest; again if balance gets worse.",
     kPortfolio, kAuto4Omp},
    {"binary", false, 4, "Halves its way through the ordered portfolio, right or left as balance gets worse or better.",
     kPortfolio, kAuto4Omp},
    {"expert", false, 5, "Fuzzy rules on loop time and imbalance name a technique, then how far to move from it.",
     kPortfolio, kAuto4Omp},
    {"simulate", false, 0, "Simulates every technique on the measured costs and runs those predicted near the best.",
     kSimulating, "Mohammed and Ciorba 2020 (SimAS); Gimbal"},
    {"rl", false, 0, "The agent that GIMBAL_RL_AGENT names.", kLearning, "Birgovan 2023"},
    {"levels", false, 0, "The same agent, for ranks and the threads inside them together: each step moves one level.",
     kLearning, "Gimbal, after Birgovan 2023"},
    {"q", true, 8, "Q-learning: believes in the best that may follow.", kLearning,
     "Watkins 1989; Birgovan 2023, eq. 2.6"},
    {"double-q", true, 9, "Two tables of Q-learning judge each other's favourites.", kLearning,
     "van Hasselt 2010; Birgovan 2023, eqs 2.8, 2.9"},
    {"sarsa", true, 10, "Believes in the technique that really follows.", kLearning,
     "Rummery and Niranjan 1994; Birgovan 2023, eq. 2.7"},
    {"expected-sarsa", true, 11, "Believes in the mean of what may follow.", kLearning,
     "van Seijen et al. 2009; Birgovan 2023, eq. 2.12"},
    {"qv", true, 12, "Learns what a state is worth beside what actions are.", kLearning,
     "Wiering 2005; Birgovan 2023, eqs 2.10, 2.11"},
    {"r", true, 13, "R-learning: rewards count against their own average.", kLearning,
     "Schwartz 1993; of LB4OMP only the number"},
    {"dqn", true, 14, "A small network in place of the table.", kLearning,
     "Mnih et al. 2015; of LB4OMP only the number"},
    {"linear-q", true, 0, "A linear function of the state in place of the table, with a squashed error.", kLearning,
     "Majercik and Littman 1996, eq. 4"},
    {"chunk", true, 15, "Chooses the chunk of one technique, else of ss; a secondary agent learns which.", kMeta,
     "Birgovan 2023, eqs 4.1, 4.2"},
}};

const SelectorInfo* named(std::string_view word) noexcept {
    for (const SelectorInfo& info : kSelectors)
        if (info.name == word) return &info;
    return nullptr;
}

/// Numbers are no names here: `8` for a technique would be a riddle.
bool begins_with_digit(std::string_view text) noexcept {
    text = technique::trimmed(text);
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

}  // namespace

std::span<const SelectorInfo> selectors() noexcept {
    return kSelectors;
}

const SelectorInfo* find_selector(std::string_view text) noexcept {
    for (const SelectorInfo& info : kSelectors)
        if (technique::spells(text, info.name)) return &info;
    if (begins_with_digit(text)) return nullptr;
    if (const auto agent = learn::agent_of(text)) return named(learn::word_of(*agent));
    if (const auto meta = learn::meta_of(text)) return named(learn::word_of(*meta));
    return nullptr;
}

const SelectorInfo* selector_of_auto(std::uint64_t number) noexcept {
    if (number == 6 || number == 7) return named("q");
    for (const SelectorInfo& info : kSelectors)
        if (info.number != 0 && info.number == number) return &info;
    return nullptr;
}

std::string auto_numbers() {
    std::string text;
    for (const SelectorInfo& info : kSelectors) {
        if (info.number == 0) continue;
        text.append(text.empty() ? "" : " ").append(info.name == "q" ? "6 7 8" : std::to_string(info.number));
        text.append(" ").append(info.name);
    }
    return text;
}

}  // namespace gimbal
