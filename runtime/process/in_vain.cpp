// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/process.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "config/selection.hpp"
#include "ranks/settings.hpp"

namespace gimbal {

namespace {

/// Options that only some techniques go by, and these with blanks between the names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kForTechniques = {{
    {"GIMBAL_WEIGHTS", "wf2"},
    {"GIMBAL_WORKERS_PER_QUEUE", "lws-steal vsched"},
    {"GIMBAL_FRACTION_FORM", "usched vsched lws-noise lws-imbalance"},
    {"GIMBAL_DELAY_FORM", "usched vsched lws-noise lws-imbalance"},
    {"GIMBAL_SLACK_FORM", "usched vsched"},
}};

struct Ran {
    std::set<std::string, std::less<>> techniques, reasons;
    bool steals = false, threads = false;
};

Ran what_ran(const std::vector<LoopSummary>& loops) {
    Ran ran;
    for (const LoopSummary& loop : loops) {
        ran.steals |= loop.steals.has_value();
        ran.threads |= !loop.over_ranks;
        for (const ScheduleUse& use : loop.schedules) {
            const std::string name = use.schedule.substr(0, use.schedule.find(','));
            const std::size_t colon = name.find(':');
            ran.techniques.insert(colon == std::string::npos ? name : name.substr(colon + 1));
            ran.reasons.insert(use.reason);
        }
    }
    return ran;
}

bool has_word(std::string_view words, std::string_view word) {
    for (std::size_t at = 0; (at = words.find(word, at)) != std::string_view::npos; at += word.size()) {
        const std::size_t end = at + word.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
    }
    return false;
}

/// Whether a selector that chose anything goes by an option.
bool goes_by(const Ran& ran, std::string_view option) {
    return std::any_of(ran.reasons.begin(), ran.reasons.end(), [&](const std::string& reason) {
        const SelectorInfo* const selector = find_selector(reason);
        return selector && (has_word(selector->parameters, option) ||
                            (option.starts_with("GIMBAL_RL_") && has_word(selector->parameters, "GIMBAL_RL_*")));
    });
}

/// Why an option that was given counts for nothing; empty: it counts.
std::string why(const Setting& use, const Options& options, const Ran& ran) {
    for (const auto& [option, techniques] : kForTechniques) {
        if (use.name != option) continue;
        for (const std::string& name : ran.techniques)
            if (has_word(techniques, name)) return {};
        return "no loop ran under " + std::string(techniques);
    }
    if (use.name.starts_with("GIMBAL_PIN_") && options.pin.mode == "off") return "GIMBAL_PIN is off";
    // What measures MPI calls has nothing to do with loops.
    if (use.name.starts_with("GIMBAL_MPI_") && use.name != "GIMBAL_MPI_WAITING" && !rank_level_used())
        return "the program has no loops over ranks";
    const bool of_selectors =
        use.name == "GIMBAL_PORTFOLIO" || use.name == "GIMBAL_GOLDEN_CHUNK" || use.name.starts_with("GIMBAL_RL_");
    const bool replayed = ran.reasons.count("GIMBAL_REPLAY") > 0;
    if (of_selectors && !ran.steals && !replayed && !goes_by(ran, use.name))
        return "no loop ran under a selector that reads it";
    if (!ran.threads || replayed || use.name != "GIMBAL_SCHEDULE" || !options.schedule.technique) return {};
    if (ran.reasons.count("GIMBAL_SCHEDULE") == 0 && !goes_by(ran, use.name))
        return "a selector, OMP_SCHEDULE, or a rule of GIMBAL_LOOPS decided for every loop";
    return {};
}

}  // namespace

std::vector<std::string> settings_in_vain(const Options& options, const std::vector<LoopSummary>& loops) {
    std::vector<std::string> sentences;
    if (loops.empty()) return sentences;
    const Ran ran = what_ran(loops);
    for (const Setting& use : options.effective) {
        if (use.origin == "default") continue;
        if (const std::string reason = why(use, options, ran); !reason.empty())
            sentences.push_back(use.name + "=" + use.value + " had no effect: " + reason);
    }
    return sentences;
}

}  // namespace gimbal
