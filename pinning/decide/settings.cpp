// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/settings.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "gimbal/error.hpp"

namespace gimbal::pin {

namespace {

using Words = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

std::string upper(std::string_view text) {
    std::string word(text);
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
}

[[noreturn]] void invalid(std::string_view name, std::string_view what, std::string hint) {
    throw Error(ErrorCode::invalid_option, std::string(name) + ": " + std::string(what), std::move(hint));
}

/// `{"A" ,"B"}` and `A,B` are A and B; nothing at all is no word.
Words words_of(std::string_view text) {
    Words words(1);
    for (const char c : text) {
        if (c == ',')
            words.emplace_back();
        else if (std::string_view("{}\"' \t").find(c) == std::string_view::npos)
            words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return words.size() == 1 && words[0].empty() ? Words{} : words;
}

template <class Value>
struct Name {
    std::string_view word;
    Value value;
};

constexpr Name<Level> kPlaces[] = {{"NUMA_BANDWIDTH", Level::node},   {"NUMA_PROCESSING", Level::node},
                                   {"CACHE_BANDWIDTH", Level::cache}, {"CACHE_PROCESSING", Level::cache},
                                   {"CPU_BANDWIDTH", Level::core},    {"CPU_PROCESSING", Level::core},
                                   {"PU_BANDWIDTH", Level::pu},       {"PU_PROCESSING", Level::pu}};
constexpr Name<EstimatorKind> kEstimators[] = {
    {"RL", EstimatorKind::rl}, {"APLA", EstimatorKind::apla}, {"AL", EstimatorKind::al}};
constexpr Name<OptimiserKind> kOptimisers[] = {{"RL", OptimiserKind::rl}, {"AL", OptimiserKind::al}};
constexpr Name<Criterion> kCriteria[] = {{"PROCESSING_SPEED", Criterion::speed},
                                         {"SPEED", Criterion::speed},
                                         {"BALANCED", Criterion::balanced},
                                         {"MIN", Criterion::min},
                                         {"PROGRESS", Criterion::progress}};
constexpr Name<Mode> kModes[] = {{"LEARN", Mode::learn}, {"STATIC", Mode::fixed}, {"OBSERVE", Mode::observe}};
constexpr std::string_view kMemory = "NUMA_MEMORY";

template <class Value, std::size_t N>
Value named(const Name<Value> (&names)[N], std::string_view setting, const std::string& word) {
    std::string allowed = "allowed:";
    for (const Name<Value>& name : names) {
        if (name.word == word) return name.value;
        allowed += " " + std::string(name.word);
    }
    invalid(setting, "unknown word \"" + word + "\"", allowed);
}

double number(std::string_view setting, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        invalid(setting, "\"" + std::string(text) + "\" is not a number", {});
    return value;
}

/// The words of one list, one per resource of that level.
struct Lists {
    std::string prefix;
    Words resources, criteria, estimators, optimisers, periods;
};

std::optional<Words> list(const Values& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional<Words>(words_of(found->second));
}

Words companions(const Values& values, const std::string& name, std::size_t wanted) {
    const std::optional<Words> words = list(values, name);
    if (!words) return Words(wanted);
    if (words->size() != wanted)
        invalid(name, std::to_string(words->size()) + " words for " + std::to_string(wanted) + " resources",
                "one word per resource, in the same order");
    return *words;
}

Lists lists_of(const Values& values, const std::string& prefix, Words resources) {
    const std::size_t n = resources.size();
    return {prefix,
            std::move(resources),
            companions(values, prefix + "OPT_CRITERIA", n),
            companions(values, prefix + "RESOURCES_EST_METHODS", n),
            companions(values, prefix + "RESOURCES_OPT_METHODS", n),
            companions(values, prefix + "RESOURCES_PERIODS", n)};
}

Resource resource_of(const Lists& lists, std::size_t i) {
    Resource resource;
    resource.level = named(kPlaces, lists.prefix + "RESOURCES", lists.resources[i]);
    const bool outer = resource.level < Level::core;
    resource.optimiser = outer ? OptimiserKind::al : OptimiserKind::rl;
    resource.period = outer ? 10 : 1;
    if (!lists.criteria[i].empty())
        resource.criterion = named(kCriteria, lists.prefix + "OPT_CRITERIA", lists.criteria[i]);
    if (!lists.estimators[i].empty())
        resource.estimator = named(kEstimators, lists.prefix + "RESOURCES_EST_METHODS", lists.estimators[i]);
    if (!lists.optimisers[i].empty())
        resource.optimiser = named(kOptimisers, lists.prefix + "RESOURCES_OPT_METHODS", lists.optimisers[i]);
    if (!lists.periods[i].empty()) {
        const std::string name = lists.prefix + "RESOURCES_PERIODS";
        const double period = number(name, lists.periods[i]);
        if (period < 1 || period > 1e6 || period != std::floor(period))
            invalid(name, "\"" + lists.periods[i] + "\" is not a period", "whole samples from 1 to 1000000");
        resource.period = static_cast<std::size_t>(period);
    }
    return resource;
}

bool none(const std::string& word) {
    return word.empty() || word == "NULL";
}

/// Follows the children of the one placement resource down to the last; returns how many levels of CHILD_ were read.
void read_resources(const Values& values, Settings& settings) {
    std::optional<Words> words = list(values, "RESOURCES");
    if (!words)
        words = Words{"NUMA_BANDWIDTH"};
    else if (words->empty())
        invalid("RESOURCES", "no resource is named", "NUMA_BANDWIDTH or CPU_BANDWIDTH, and NUMA_MEMORY if wanted");
    std::string prefix;
    std::optional<std::size_t> followed;
    settings.resources.clear();
    while (words) {
        const Lists lists = lists_of(values, prefix, *words);
        std::optional<std::size_t> next;
        for (std::size_t i = 0; i < words->size(); ++i) {
            const std::string& word = (*words)[i];
            if (!prefix.empty() && none(word)) continue;
            if (word == kMemory && prefix.empty()) {
                settings.bind_memory = true;
                // Its methods are checked, but the seed's rule over zeta is what decides; its period counts.
                Lists memory = lists;
                memory.resources[i] = "NUMA_BANDWIDTH";
                const std::size_t period = resource_of(memory, i).period;
                if (!lists.periods[i].empty()) settings.memory_period = period;
                continue;
            }
            const Resource resource = resource_of(lists, i);
            if (followed && *followed != i)
                invalid(prefix + "RESOURCES", "\"" + word + "\" is the child of something that has no children",
                        "NULL there");
            if (next)
                invalid(prefix + "RESOURCES", "two ways to place a thread, both at the same level",
                        "name the finer one in CHILD_" + prefix + "RESOURCES");
            if (!settings.resources.empty() && resource.level <= settings.resources.back().level)
                invalid(prefix + "RESOURCES", "\"" + word + "\" is not finer than its parent", "node, cache, CPU, PU");
            settings.resources.push_back(resource);
            next = i;
        }
        if (!next) break;
        followed = next;
        prefix = "CHILD_" + prefix;
        const std::size_t parents = words->size();
        words = list(values, prefix + "RESOURCES");
        if (words && words->size() != parents)
            invalid(prefix + "RESOURCES",
                    std::to_string(words->size()) + " children for " + std::to_string(parents) + " resources",
                    "one word per resource, NULL where there is no child");
    }
    if (settings.resources.empty())
        invalid("RESOURCES", "nothing says where threads may be placed", "add NUMA_BANDWIDTH or CPU_BANDWIDTH");
}

bool list_name(std::string_view name) {
    while (name.starts_with("CHILD_")) name.remove_prefix(6);
    return name == "RESOURCES" || name == "OPT_CRITERIA" || name == "RESOURCES_EST_METHODS" ||
           name == "RESOURCES_OPT_METHODS" || name == "RESOURCES_PERIODS";
}

void read_scalar(const std::string& name, const std::string& text, Settings& settings) {
    for (const ScalarSetting& row : scalar_settings()) {
        if (row.name != name) continue;
        const double value = number(name, text);
        if (value < row.low || value > row.high || (row.whole && value != std::floor(value)))
            invalid(name, "\"" + text + "\" is out of range", std::string(row.about));
        row.set(settings, value);
        return;
    }
    std::string known =
        "known: MODE RESOURCES OPT_CRITERIA RESOURCES_EST_METHODS RESOURCES_OPT_METHODS RESOURCES_PERIODS, CHILD_...";
    for (const ScalarSetting& row : scalar_settings()) known += " " + std::string(row.name);
    throw Error(ErrorCode::unknown_option, "unknown setting \"" + name + "\"", known);
}

}  // namespace

Settings parse_settings(const std::map<std::string, std::string>& given) {
    Values values;
    for (const auto& [name, text] : given) values[upper(name)] = text;
    Settings settings;
    if (std::any_of(values.begin(), values.end(), [](const auto& entry) { return list_name(entry.first); }))
        read_resources(values, settings);
    for (const auto& [name, text] : values) {
        if (list_name(name)) continue;
        if (name == "MODE")
            settings.mode = named(kModes, name, upper(text));
        else
            read_scalar(name, text, settings);
    }
    return settings;
}

}  // namespace gimbal::pin
