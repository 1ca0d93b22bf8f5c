// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/process.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "config/selection.hpp"
#include "config/table.hpp"
#include "ranks/settings.hpp"
#include "report/choices.hpp"

namespace gimbal {

namespace {

/// Options that only some techniques go by, and these with blanks between the names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kForTechniques = {{
    {"GIMBAL_WEIGHTS", "wf2"},
    {"GIMBAL_LOOP_STATS", "fsc fac tap bold"},
    {"GIMBAL_WORKERS_PER_QUEUE", "lws-steal vsched"},
    {"GIMBAL_FRACTION_FORM", "usched vsched lws-noise lws-imbalance"},
    {"GIMBAL_DELAY_FORM", "usched vsched lws-noise lws-imbalance"},
    {"GIMBAL_SLACK_FORM", "usched vsched"},
}};

/// What ran at one level, or at both.
struct Ran {
    std::set<std::string, std::less<>> techniques, reasons;
    bool steals = false, threads = false;
};

Ran what_ran(const std::vector<LoopSummary>& loops, Levels levels = Levels::both) {
    Ran ran;
    for (const LoopSummary& loop : loops) {
        if (levels != Levels::both && loop.over_ranks != (levels == Levels::ranks)) continue;
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

/// Why an option has no effect since another one is not set, or a library is missing; empty: it may have one.
std::string lacks_other(std::string_view name, const Options& options) {
    if (name.starts_with("GIMBAL_PIN_") && options.pin.mode == "off") return "GIMBAL_PIN is off";
    if ((name == "GIMBAL_PIN" || name.starts_with("GIMBAL_PIN_")) && options.pin.mode != "off" &&
        !placement_is_loaded())
        return "libgimbal_pin.so is not in the process: use `gimbal run`, or name it in LD_PRELOAD, too";
    if (name.starts_with("GIMBAL_TRACE_") && options.trace.empty()) return "GIMBAL_TRACE is not set";
    if (name == "GIMBAL_RANK_THREADS" && options.rank_threads > 0 && !options.ranks.elastic)
        return "GIMBAL_ELASTIC is off";
    return {};
}

/// Why a record is not followed; empty: it is, or there is none.
std::string why_no_replay(const Options& options, const Ran& ran) {
    // A selector's name: one worker alone replays nothing.
    const bool unnamed = std::any_of(ran.reasons.begin(), ran.reasons.end(), [](const std::string& reason) {
        return reason == "GIMBAL_REPLAY" || reason == kNotRecorded || find_selector(reason) != nullptr;
    });
    if (unnamed || ran.steals || options.select.replay.empty()) return {};
    return "the program, OMP_SCHEDULE, GIMBAL_MPI_SCHEDULE, or a rule of GIMBAL_LOOPS names every loop's technique";
}

/// Why an option that was given has no effect; empty: it has one.
std::string why(std::string_view name, const Options& options, const Ran& ran) {
    for (const auto& [option, techniques] : kForTechniques) {
        if (name != option) continue;
        for (const std::string& technique : ran.techniques)
            if (has_word(techniques, technique)) return {};
        return "no loop ran under " + std::string(techniques);
    }
    if (std::string reason = lacks_other(name, options); !reason.empty()) return reason;
    // What measures MPI calls has nothing to do with loops.
    if (name.starts_with("GIMBAL_MPI_") && name != "GIMBAL_MPI_WAITING" && !rank_level_used())
        return "the program has no loops over ranks";
    if (name == "GIMBAL_REPLAY") return why_no_replay(options, ran);
    const bool of_selectors = name == "GIMBAL_PORTFOLIO" || name == "GIMBAL_GOLDEN_CHUNK" ||
                              name == "GIMBAL_BACKGROUND" || name.starts_with("GIMBAL_RL_");
    const bool replayed = ran.reasons.count("GIMBAL_REPLAY") > 0;
    if (of_selectors && !ran.steals && !replayed && !goes_by(ran, name))
        return "no loop ran under a selector that reads it";
    if (!ran.threads || replayed || name != "GIMBAL_SCHEDULE" || !options.schedule.technique) return {};
    if (ran.reasons.count("GIMBAL_SCHEDULE") == 0 && !goes_by(ran, name))
        return "a selector, OMP_SCHEDULE, or a rule of GIMBAL_LOOPS decided for every loop";
    return {};
}

/// Whether an agent is named to say that none shall learn, which needs no loop to go by it.
bool is_no_agent(const Setting& use) {
    return use.value == "none" || use.value == "0";
}

/// The same of names that speak for ranks alone; a program without such loops is told of them elsewhere.
void add_in_vain_for_ranks(const Options& options, const Ran& ran, std::vector<std::string>& sentences) {
    for (std::size_t row = 0; row < options.effective_ranks.size(); ++row) {
        const Setting& use = options.effective_ranks[row];
        const std::string& own = options.effective[row].name;
        if (levels_of(use.name) != Levels::ranks || (own == "GIMBAL_RL_AGENT" && is_no_agent(use))) continue;
        if (const std::string reason = why(own, options, ran); !reason.empty())
            sentences.push_back(use.name + "=" + use.value + " had no effect: " + reason);
    }
}

}  // namespace

std::vector<std::string> settings_in_vain(const Options& options, const std::vector<LoopSummary>& loops) {
    std::vector<std::string> sentences;
    if (loops.empty()) return sentences;
    const Ran both = what_ran(loops), threads = what_ran(loops, Levels::threads);
    const Ran ranks = what_ran(loops, Levels::ranks);
    if (ranks.steals || !ranks.techniques.empty()) add_in_vain_for_ranks(options, ranks, sentences);
    for (const Setting& use : options.effective) {
        if (use.origin == "default" || (use.name == "GIMBAL_RL_AGENT" && is_no_agent(use))) continue;
        const std::string reason = why(use.name, options, use.alias.starts_with("KMP_") ? threads : both);
        if (reason.empty()) continue;
        const std::string& written = use.alias.empty() ? use.name : use.alias;
        sentences.push_back(written + "=" + use.value + " had no effect: " + reason);
    }
    return sentences;
}

}  // namespace gimbal
