// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <optional>

#include "decide/words.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal::pin {

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kMemory = "NUMA_MEMORY";
constexpr std::string_view kZeta = "ZETA";
constexpr std::string_view kChild = "CHILD_";
constexpr Word<Level> kPlaces[] = {{"NUMA_BANDWIDTH", Level::node},   {"NUMA_PROCESSING", Level::node},
                                   {"CACHE_BANDWIDTH", Level::cache}, {"CACHE_PROCESSING", Level::cache},
                                   {"CPU_BANDWIDTH", Level::core},    {"CPU_PROCESSING", Level::core},
                                   {"PU_BANDWIDTH", Level::pu},       {"PU_PROCESSING", Level::pu}};
constexpr Word<EstimatorKind> kEstimators[] = {
    {"RL", EstimatorKind::rl}, {"APLA", EstimatorKind::apla}, {"AL", EstimatorKind::al}};
constexpr Word<OptimiserKind> kOptimisers[] = {{"RL", OptimiserKind::rl}, {"AL", OptimiserKind::al}};
constexpr Word<Criterion> kCriteria[] = {{"PROCESSING_SPEED", Criterion::speed},
                                         {"SPEED", Criterion::speed},
                                         {"BALANCED", Criterion::balanced},
                                         {"MIN", Criterion::min},
                                         {"PROGRESS", Criterion::progress}};

/// `{"A" ,"B"}` and `A,B` are A and B; nothing at all is no word.
Words words_of(std::string_view text) {
    Words words(1);
    for (const char c : text) {
        if (c == ',')
            words.emplace_back();
        else if (std::string_view("{}\"' \t").find(c) == std::string_view::npos)
            words.back() += ascii_upper(c);
    }
    return words.size() == 1 && words[0].empty() ? Words{} : words;
}

/// A list that goes with one of resources: a word for each of them, empty ones if it is not there.
Words companion(const Values& values, const std::string& name, std::size_t wanted) {
    const auto found = values.find(name);
    if (found == values.end()) return Words(wanted);
    Words words = words_of(found->second);
    if (words.size() != wanted)
        invalid_setting(name, std::to_string(words.size()) + " words for " + std::to_string(wanted) + " resources",
                        "one word per resource, in the same order");
    return words;
}

/// The resources of one depth, and what is said of them.
struct Lists {
    std::string prefix;
    Words resources, criteria, estimators, optimisers, periods;

    Lists(const Values& values, std::string before, Words names)
        : prefix(std::move(before)),
          resources(std::move(names)),
          criteria(companion(values, prefix + "OPT_CRITERIA", resources.size())),
          estimators(companion(values, prefix + "RESOURCES_EST_METHODS", resources.size())),
          optimisers(companion(values, prefix + "RESOURCES_OPT_METHODS", resources.size())),
          periods(companion(values, prefix + "RESOURCES_PERIODS", resources.size())) {}
};

std::size_t period_of(const Lists& lists, std::size_t i) {
    const std::string name = lists.prefix + "RESOURCES_PERIODS";
    const double period = number_setting(name, lists.periods[i]);
    if (period < 1 || period > 1e6 || period != std::floor(period))
        invalid_setting(name, "\"" + lists.periods[i] + "\" is not a period", "whole samples from 1 to 1000000");
    return static_cast<std::size_t>(period);
}

Resource resource_of(const Lists& lists, std::size_t i, Level level) {
    Resource resource;
    resource.level = level;
    const bool outer = level < Level::core;
    resource.optimiser = outer ? OptimiserKind::al : OptimiserKind::rl;
    resource.period = outer ? kOuterPeriod : kInnerPeriod;
    const std::string& before = lists.prefix;
    if (!lists.criteria[i].empty()) resource.criterion = worded(kCriteria, before + "OPT_CRITERIA", lists.criteria[i]);
    if (!lists.estimators[i].empty())
        resource.estimator = worded(kEstimators, before + "RESOURCES_EST_METHODS", lists.estimators[i]);
    if (!lists.optimisers[i].empty())
        resource.optimiser = worded(kOptimisers, before + "RESOURCES_OPT_METHODS", lists.optimisers[i]);
    if (!lists.periods[i].empty()) resource.period = period_of(lists, i);
    return resource;
}

/// NUMA_MEMORY: learnt if a method is named for it; with none, or ZETA in the place of one, the rule decides.
void take_memory(Lists lists, std::size_t i, Settings& settings) {
    const bool rule = lists.estimators[i] == kZeta || lists.optimisers[i] == kZeta;
    for (Words* words : {&lists.estimators, &lists.optimisers})
        if ((*words)[i] == "NULL" || (*words)[i] == kZeta) (*words)[i].clear();
    settings.bind_memory = true;
    settings.learn_memory = !rule && !(lists.estimators[i].empty() && lists.optimisers[i].empty());
    settings.numa_memory = resource_of(lists, i, Level::node);
}

/// The one resource of these lists that says where threads may be placed, added to the settings; its index.
std::optional<std::size_t> take_level(const Lists& lists, std::optional<std::size_t> parent, Settings& settings) {
    const std::string name = lists.prefix + "RESOURCES";
    std::optional<std::size_t> taken;
    for (std::size_t i = 0; i < lists.resources.size(); ++i) {
        const std::string& word = lists.resources[i];
        if (!lists.prefix.empty() && (word.empty() || word == "NULL")) continue;
        if (word == kMemory && lists.prefix.empty()) {
            take_memory(lists, i, settings);
            continue;
        }
        const Level level = worded(kPlaces, name, word);
        if (parent && *parent != i)
            invalid_setting(name, "\"" + word + "\" would be the child of something that has no children",
                            "NULL in its place");
        if (taken)
            invalid_setting(name, "two ways to place a thread at the same depth",
                            "name the finer one in CHILD_" + name);
        if (!settings.resources.empty() && level <= settings.resources.back().level)
            invalid_setting(name, "\"" + word + "\" is not finer than its parent",
                            "from coarse to fine: NUMA CACHE CPU PU");
        settings.resources.push_back(resource_of(lists, i, level));
        taken = i;
    }
    return taken;
}

/// Nothing may be said of children that nobody has.
void check_depth(const Values& values, std::size_t prefix) {
    for (const auto& [name, text] : values) {
        std::size_t depth = 0;
        while (std::string_view(name).substr(depth).starts_with(kChild)) depth += kChild.size();
        if (is_resource_list(name) && depth > prefix)
            invalid_setting(name, "there is no resource that could have these children", "say CHILD_RESOURCES first");
    }
}

}  // namespace

bool is_resource_list(std::string_view name) noexcept {
    while (name.starts_with(kChild)) name.remove_prefix(kChild.size());
    return name == "RESOURCES" || name == "OPT_CRITERIA" || name == "RESOURCES_EST_METHODS" ||
           name == "RESOURCES_OPT_METHODS" || name == "RESOURCES_PERIODS";
}

void read_resource_lists(Values values, Settings& settings) {
    // What is not said is what it would be without any list.
    if (values.try_emplace("RESOURCES", "NUMA_BANDWIDTH").second)
        values.try_emplace("CHILD_RESOURCES", "CPU_BANDWIDTH");
    settings.resources.clear();
    std::string prefix;
    std::optional<std::size_t> parent;
    Words words = words_of(values.at("RESOURCES"));
    for (;;) {
        const std::size_t parents = words.size();
        parent = take_level(Lists(values, prefix, std::move(words)), parent, settings);
        const auto children = values.find(std::string(kChild) + prefix + "RESOURCES");
        if (!parent || children == values.end()) break;
        prefix = std::string(kChild) + prefix;
        words = words_of(children->second);
        if (words.size() != parents)
            invalid_setting(prefix + "RESOURCES",
                            std::to_string(words.size()) + " children for " + std::to_string(parents) + " resources",
                            "one word per resource, NULL where there is no child");
    }
    check_depth(values, prefix.size());
    if (settings.resources.empty())
        invalid_setting("RESOURCES", "nothing says where threads may be placed",
                        "NUMA_BANDWIDTH or CPU_BANDWIDTH, and NUMA_MEMORY if wanted");
}

}  // namespace gimbal::pin
