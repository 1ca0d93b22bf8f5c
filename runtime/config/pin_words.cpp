// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/pin_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "config/pin_rows.hpp"
#include "config/schedule_value.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal {

namespace {

using pin::Resource;
using pin::Settings;
using pin_rows::kLists;
using pin_rows::List;
using Words = std::map<std::string, std::string>;  ///< NAME, in capitals -> text
using Row = std::vector<std::string>;              ///< a list's words, in capitals

constexpr std::string_view kMemory = "NUMA_MEMORY";
constexpr std::string_view kZeta = "ZETA";
constexpr std::string_view kChild = "CHILD_";

[[noreturn]] void fail(const std::string& name, const std::string& what, std::string hint) {
    throw Error(ErrorCode::invalid_option, name + ": " + what, std::move(hint));
}

std::string upper_case(std::string_view text) {
    std::string upper(text);
    for (char& c : upper) c = ascii_upper(c);
    return upper;
}

void add_part(std::string_view part, Words& words) {
    part = technique::trimmed(part);
    if (part.empty()) return;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
        throw Error(ErrorCode::invalid_option, quote_value(part) + " has no value",
                    "Example: RESOURCES={CPU_BANDWIDTH};GUARD=0");
    const std::string name = upper_case(technique::trimmed(part.substr(0, equals)));
    if (!words.emplace(name, technique::trimmed(part.substr(equals + 1))).second)
        throw Error(ErrorCode::invalid_option, name + " is there twice", "");
}

/// A ; within braces or quotes belongs to the value.
Words split(std::string_view text) {
    Words words;
    int depth = 0;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (c == '{' && !quoted) ++depth;
        if (c == '}' && !quoted) --depth;
        if ((c != ';' && c != '\n') || quoted || depth > 0) continue;
        add_part(text.substr(begin, i - begin), words);
        begin = i + 1;
    }
    add_part(text.substr(begin), words);
    return words;
}

/// `2e1` and `20.0` are whole numbers, too.
std::string plain_integer(std::string_view text) {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = status == std::errc() && end == text.data() + text.size() && value == std::floor(value);
    return whole && std::abs(value) <= pin_rows::kMany ? std::to_string(static_cast<long>(value)) : std::string(text);
}

/// A value as its row has it; an error says which name it was given for.
OptionValue read(const OptionSpec& row, const std::string& name, std::string_view text) {
    try {
        const bool whole = row.type == OptionType::integer || row.type == OptionType::boolean;
        return read_value(row, whole ? plain_integer(text) : std::string(text));
    } catch (const Error& error) {
        fail(name, error.what(), "It can be: " + allowed_values(row) + ".");
    }
}

/// `{"A" ,"B"}` and `A,B` are A and B; nothing at all is no word.
Row list_of(std::string_view text) {
    Row words(1);
    for (const char c : text) {
        if (c == ',')
            words.emplace_back();
        else if (std::string_view("{}\"' \t").find(c) == std::string_view::npos)
            words.back() += ascii_upper(c);
    }
    return words.size() == 1 && words[0].empty() ? Row{} : words;
}

/// The lists of one depth, a word per resource in each; empty words where nothing is said.
class Depth {
public:
    Depth(const Words& words, std::string prefix, Row resources) : prefix_(std::move(prefix)) {
        rows_[pin_rows::kResources] = std::move(resources);
        for (const List list : {pin_rows::kCriterion, pin_rows::kEstimator, pin_rows::kOptimiser, pin_rows::kPeriod}) {
            const auto found = words.find(name(list));
            rows_[list] = found == words.end() ? Row(size()) : list_of(found->second);
            if (rows_[list].size() != size())
                fail(name(list),
                     std::to_string(rows_[list].size()) + " words for " + std::to_string(size()) + " resources",
                     "Give one word per resource, in the same order.");
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return rows_[pin_rows::kResources].size(); }
    [[nodiscard]] bool outermost() const noexcept { return prefix_.empty(); }
    [[nodiscard]] std::string name(List list) const { return prefix_ + std::string(kLists[list].name); }
    [[nodiscard]] std::string& word(List list, std::size_t i) { return rows_[list][i]; }
    /// The place of a word among those that its row allows.
    [[nodiscard]] std::size_t index(List list, std::size_t i) const {
        const std::span<const std::string_view> all = kLists[list].choices;
        const auto word = std::get<std::string>(read(kLists[list], name(list), rows_[list][i]));
        return static_cast<std::size_t>(std::find(all.begin(), all.end(), word) - all.begin());
    }
    [[nodiscard]] Resource resource(std::size_t i, pin::Level level) const {
        Resource made{.level = level};
        const bool outer = level == pin::Level::node || level == pin::Level::cache;
        made.optimiser = outer ? pin::OptimiserKind::al : pin::OptimiserKind::rl;
        made.period = outer ? pin::kOuterPeriod : pin::kInnerPeriod;
        const auto said = [&](List list) { return !rows_[list][i].empty(); };
        if (said(pin_rows::kCriterion))
            made.criterion = static_cast<pin::Criterion>(index(pin_rows::kCriterion, i) % 4);
        if (said(pin_rows::kEstimator))
            made.estimator = static_cast<pin::EstimatorKind>(index(pin_rows::kEstimator, i));
        if (said(pin_rows::kOptimiser))
            made.optimiser = static_cast<pin::OptimiserKind>(index(pin_rows::kOptimiser, i));
        if (said(pin_rows::kPeriod))
            made.period = static_cast<std::size_t>(std::get<std::int64_t>(
                read(kLists[pin_rows::kPeriod], name(pin_rows::kPeriod), rows_[pin_rows::kPeriod][i])));
        return made;
    }

private:
    std::string prefix_;
    std::array<Row, kLists.size()> rows_;
};

/// NUMA_MEMORY: learnt if a method is named for it; with none, or ZETA in the place of one, the rule decides.
void take_memory(Depth depth, std::size_t i, Settings& settings) {
    bool rule = false, named = false;
    for (const List list : {pin_rows::kEstimator, pin_rows::kOptimiser}) {
        std::string& word = depth.word(list, i);
        rule = rule || word == kZeta;
        if (word == "NULL" || word == kZeta) word.clear();
        named = named || !word.empty();
    }
    settings.bind_memory = true;
    settings.learn_memory = named && !rule;
    settings.numa_memory = depth.resource(i, pin::Level::node);
}

/// The one resource of a depth that says where threads may be placed, added to the settings; its index.
std::optional<std::size_t> take_level(Depth& depth, std::optional<std::size_t> parent, Settings& settings) {
    const std::string name = depth.name(pin_rows::kResources);
    std::optional<std::size_t> taken;
    for (std::size_t i = 0; i < depth.size(); ++i) {
        const std::string& word = depth.word(pin_rows::kResources, i);
        if (!depth.outermost() && (word.empty() || word == "NULL")) continue;
        if (word == kMemory && depth.outermost()) {
            take_memory(depth, i, settings);
            continue;
        }
        const std::size_t place = depth.index(pin_rows::kResources, i);
        const auto level = static_cast<pin::Level>(static_cast<std::size_t>(pin::Level::node) + place / 2);
        if (parent && *parent != i)
            fail(name, quote_value(word) + " would be the child of something that has no children",
                 "Write NULL in its place.");
        if (taken)
            fail(name, "two ways to place a thread at the same depth", "Name the finer one in CHILD_" + name + ".");
        if (!settings.resources.empty() && level <= settings.resources.back().level)
            fail(name, quote_value(word) + " is not finer than its parent", "From coarse to fine: NUMA CACHE CPU PU.");
        settings.resources.push_back(depth.resource(i, level));
        taken = i;
    }
    return taken;
}

bool is_list(std::string_view name) {
    while (name.starts_with(kChild)) name.remove_prefix(kChild.size());
    return std::any_of(kLists.begin(), kLists.end(), [&](const OptionSpec& list) { return list.name == name; });
}

/// Nothing may be said of children that nobody has.
void check_depth(const Words& words, std::size_t prefix) {
    for (const auto& [name, text] : words) {
        std::size_t depth = 0;
        while (std::string_view(name).substr(depth).starts_with(kChild)) depth += kChild.size();
        if (is_list(name) && depth > prefix)
            fail(name, "there is no resource that could have these children", "Say CHILD_RESOURCES first.");
    }
}

void read_lists(Words words, Settings& settings) {
    // What is not said is what it would be without any list.
    if (words.try_emplace("RESOURCES", "NUMA_BANDWIDTH").second) words.try_emplace("CHILD_RESOURCES", "CPU_BANDWIDTH");
    settings.resources.clear();
    std::string prefix;
    std::optional<std::size_t> parent;
    Row resources = list_of(words.at("RESOURCES"));
    for (;;) {
        const std::size_t parents = resources.size();
        Depth depth(words, prefix, std::move(resources));
        parent = take_level(depth, parent, settings);
        const auto children = words.find(std::string(kChild) + prefix + "RESOURCES");
        if (!parent || children == words.end()) break;
        prefix = std::string(kChild) + prefix;
        resources = list_of(children->second);
        if (resources.size() != parents)
            fail(prefix + "RESOURCES",
                 std::to_string(resources.size()) + " children for " + std::to_string(parents) + " resources",
                 "Give one word per resource, NULL where there is no child.");
    }
    check_depth(words, prefix.size());
    if (settings.resources.empty())
        fail("RESOURCES", "nothing says where threads may be placed",
             "Name NUMA_BANDWIDTH or CPU_BANDWIDTH, and NUMA_MEMORY if wanted.");
}

const OptionSpec& number_row(const std::string& name) {
    for (const OptionSpec& row : pin_rows::kNumbers)
        if (row.name == name) return row;
    if (name == "MODE" || name == "SAMPLE_S")
        throw Error(ErrorCode::invalid_option, name + " is set elsewhere",
                    name == "MODE" ? "GIMBAL_PIN says the mode." : "GIMBAL_PIN_PERIOD says the time between samples.");
    std::vector<std::string_view> names;
    for (const OptionSpec& row : pin_rows::kNumbers) names.push_back(row.name);
    for (const OptionSpec& row : kLists) names.push_back(row.name);
    throw Error(ErrorCode::unknown_option, "there is no setting " + quote_value(name),
                did_you_mean(nearest(name, names)));
}

}  // namespace

std::span<const OptionSpec> pin_numbers() noexcept {
    return pin_rows::kNumbers;
}

std::span<const OptionSpec> pin_lists() noexcept {
    return kLists;
}

std::string pin_words() {
    std::string names;
    for (const OptionSpec& row : kLists) names.append(names.empty() ? "" : " ").append(row.name);
    names += " (each also with CHILD_ before it)";
    for (const OptionSpec& row : pin_rows::kNumbers) names.append(" ").append(row.name);
    return names;
}

Settings read_pin_words(std::string_view text) {
    const Words words = split(text);
    Options options;
    if (std::any_of(words.begin(), words.end(), [](const auto& entry) { return is_list(entry.first); }))
        read_lists(words, options.pin.learning);
    for (const auto& [name, value] : words) {
        if (is_list(name)) continue;
        const OptionSpec& row = number_row(name);
        row.set(options, read(row, name, value));
    }
    return options.pin.learning;
}

}  // namespace gimbal
