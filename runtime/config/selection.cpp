// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/selection.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "config/schedule_value.hpp"
#include "config/selection_rows.hpp"
#include "gimbal/error.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kDefault = "default";
constexpr std::size_t kMaxChoices = 256;  // of a portfolio: agents keep a table of choices by choices

[[noreturn]] void fail(std::string what) {
    throw Error(ErrorCode::invalid_option, std::move(what));
}

/// How much an origin counts.
int weight(std::string_view origin) {
    if (origin == "API") return 4;
    if (origin == "command line") return 3;
    if (origin == "environment") return 2;
    return origin == kDefault ? 0 : 1;
}

/// Whether an agent was named; `none` and 0 are the seed's way to say no.
bool agent_given(const Setting& use) {
    return use.origin != kDefault && learn::meta_of(use.value) != learn::MetaKind::none;
}

const Setting* use_of(const Options& options, std::string_view name) {
    for (const Setting& use : options.effective)
        if (use.name == name) return &use;
    return nullptr;
}

/// The same for ranks, where an alias may stand in the row.
const Setting* rank_use_of(const Options& options, std::string_view name) {
    const Setting* const use = use_of(options, name);
    return use ? &options.effective_ranks[static_cast<std::size_t>(use - options.effective.data())] : nullptr;
}

void resolve_threads(Options& options) {
    const ScheduleSpec& named = options.schedule;
    const int select = weight(options.origin("GIMBAL_SELECT"));
    if (named.technique || !named.selector.empty()) {
        if (select != 0 && select >= weight(options.origin("GIMBAL_SCHEDULE"))) return;
        options.select.name = named.technique ? "fixed" : named.selector;
        return;
    }
    const Setting* const agent = use_of(options, "GIMBAL_RL_AGENT");
    if (select == 0 && agent && agent_given(*agent)) options.select.name = "rl";
}

void resolve_ranks(Options& options) {
    SelectorSettings& chosen = options.select_ranks;
    const ScheduleSpec& named = options.ranks.schedule;
    const Setting* const use = rank_use_of(options, "GIMBAL_RL_AGENT");
    const bool agent = use && agent_given(*use);
    if (!agent) options.ranks.agent.clear();
    const bool steals = agent && learn::meta_of(use->value) == learn::MetaKind::steal_ratio;
    if (steals && options.origin("GIMBAL_MPI_STEAL_RATIO") == kDefault) options.ranks.steal_ratio = kAgentSteals;
    const bool chunks = chosen.name == "chunk" || (agent && chosen.agent == "chunk");
    if (named.technique || !named.selector.empty()) {
        chosen.name = !named.technique ? std::string(named.selector) : chunks ? "chunk" : "fixed";
        return;
    }
    if (!agent || steals) return;
    const bool for_ranks_alone = levels_of(use->name) == Levels::ranks;
    if (for_ranks_alone || options.origin("GIMBAL_SELECT") == kDefault) chosen.name = "rl";
}

}  // namespace

void resolve_selection(Options& options) {
    options.select.schedule = options.schedule;
    options.select_ranks.schedule = options.ranks.schedule;
    options.select_ranks.schedule_from = "GIMBAL_MPI_SCHEDULE";
    resolve_threads(options);
    resolve_ranks(options);
}

bool asks_for_gimbal(const Options& options) {
    if (!options.run_dir.empty() || options.origin("GIMBAL_SCHEDULE") != kDefault) return true;
    for (const OptionSpec& row : selection_rows::kRows) {
        const Setting* const use = use_of(options, row.name);
        if (!use || use->origin == kDefault) continue;
        if (use->name != "GIMBAL_RL_AGENT" || agent_given(*use)) return true;
    }
    return false;
}

std::string names_for_ranks(const Options& options) {
    std::string names;
    for (const Setting& use : options.effective_ranks) {
        if (levels_of(use.name) != Levels::ranks) continue;
        if (use.name.ends_with("_RL_OPTION") && !agent_given(use)) continue;
        names.append(names.empty() ? "" : ", ").append(use.name);
    }
    return names;
}

std::string read_portfolio(std::string_view text) {
    constexpr std::string_view kBetween = " \t\r\n\f\v;";
    const std::string word = to_lower(technique::trimmed(text));
    if (word == "seed" || word == "expert") return word;
    constexpr std::array<std::string_view, 2> kNamed = {"seed", "expert"};
    if (const std::string_view near = nearest(word, kNamed); !near.empty() && !find_technique(word))
        throw Error(ErrorCode::invalid_option, "unknown portfolio " + quote_value(text), did_you_mean(near));
    std::vector<ScheduleSpec> choices;
    for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;
         at = text.find_first_not_of(kBetween, at)) {
        const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        const std::string_view one = text.substr(at, end - at);
        const ScheduleSpec choice = read_schedule(one);
        if (!choice.technique || choice.modifier != Modifier::none) fail(quote_value(one) + " is not a technique");
        if (std::find(choices.begin(), choices.end(), choice) != choices.end())
            fail(quote_value(one) + " stands twice");
        choices.push_back(choice);
        at = end;
    }
    if (choices.empty()) fail("the portfolio is empty");
    if (choices.size() > kMaxChoices)
        fail(std::to_string(choices.size()) + " choices are more than " + std::to_string(kMaxChoices));
    return std::string(text);
}

}  // namespace gimbal
