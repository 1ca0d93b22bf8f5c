// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/schedule_value.hpp"

#include <array>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "gimbal/error.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kNone = "none";

[[noreturn]] void fail(std::size_t number, std::string_view rule, const std::string& why, std::string hint = {}) {
    throw Error(ErrorCode::invalid_option, "rule " + std::to_string(number) + ", " + quote_value(rule) + ": " + why,
                std::move(hint));
}

LoopRule read_rule(std::size_t number, std::string_view text) {
    if (text.empty()) fail(number, text, "it is empty");
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos) fail(number, text, "there is no \"=\" between the loop and its schedule");
    LoopRule rule;
    rule.pattern = technique::trimmed(text.substr(0, equals));
    const std::string_view schedule = technique::trimmed(text.substr(equals + 1));
    if (rule.pattern.empty()) fail(number, text, "no loop is named before the \"=\"");
    if (schedule.empty()) fail(number, text, "no schedule is named after the \"=\"");
    rule.none = to_lower(schedule) == kNone;
    if (rule.none) return rule;
    if (to_lower(technique::trimmed(schedule.substr(0, schedule.find(',')))) == kNone)
        fail(number, text, "none takes no number");
    try {
        rule.schedule = read_schedule(schedule);
    } catch (const Error& error) {
        const std::array<std::string_view, 1> other = {kNone};
        const std::string hint = error.hint().empty() ? did_you_mean(nearest(to_lower(schedule), other)) : error.hint();
        fail(number, text, error.what(), hint);
    }
    return rule;
}

/// `*` is any text, `?` any one character. Goes back to the last star only, which is enough.
bool glob(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, resumed = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resumed = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resumed;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

/// A C++ function without what demanglers add for templates: the return type in front, the arguments behind.
std::string_view plain_function(std::string_view name) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '<' || name[i] == '(' || name[i] == '{') ++depth;
        if (name[i] == '>' || name[i] == ')' || name[i] == '}') --depth;
        if (name[i] == ' ' && depth == 0) begin = i + 1;
    }
    name.remove_prefix(begin);
    if (!name.ends_with('>')) return name;
    for (std::size_t i = name.size(); i-- > 0;) {
        if (name[i] == '>') ++depth;
        if (name[i] == '<' && --depth == 0) return i == 0 ? name : name.substr(0, i);
    }
    return name;
}

bool in_identifier(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9') || sign == '_';
}

/// Whether a C++ operator is named: the word, not an identifier that contains it.
bool names_operator(std::string_view function) {
    constexpr std::string_view kWord = "operator";
    for (std::size_t at = function.find(kWord); at != std::string_view::npos; at = function.find(kWord, at + 1)) {
        const std::size_t end = at + kWord.size();
        const bool begins = at == 0 || !in_identifier(function[at - 1]);
        if (begins && (end == function.size() || !in_identifier(function[end]))) return true;
    }
    return false;
}

void add_function(std::string_view function, std::vector<std::string>& all) {
    all.emplace_back(function);
    // Operators have the very signs in their names that are looked for below.
    if (names_operator(function)) return;
    std::string_view plain = plain_function(function);
    all.emplace_back(plain);
    for (std::size_t scope; (scope = plain.find("::")) != std::string_view::npos;) {
        plain.remove_prefix(scope + 2);
        all.emplace_back(plain);
    }
    // gfortran: a module's procedure is __module_MOD_name, one outside of modules has an underscore at its end, and the
    // main program is MAIN__.
    const std::size_t module = function.find("_MOD_");
    if (function.starts_with("__") && module != std::string_view::npos) {
        all.emplace_back(function.substr(module + 5));
    } else if (function.ends_with('_')) {
        all.emplace_back(function.substr(0, function.find_last_not_of('_') + 1));
    }
}

}  // namespace

std::vector<std::string> LoopPlace::spellings() const {
    std::vector<std::string> all;
    const std::string at_line = line > 0 ? ":" + std::to_string(line) : "";
    for (std::string_view path = file; !path.empty();) {
        all.emplace_back(path);
        if (!at_line.empty()) all.push_back(std::string(path) + at_line);
        const std::size_t slash = path.find('/');
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    if (!function.empty()) add_function(function, all);
    if (!symbol.empty()) all.push_back(symbol);
    if (!name.empty()) all.push_back(name);
    return all;
}

std::vector<LoopRule> read_loop_rules(std::string_view text) {
    std::vector<LoopRule> rules;
    text = technique::trimmed(text);
    if (text.ends_with(';')) text.remove_suffix(1);
    while (true) {
        const std::size_t semicolon = text.find(';');
        rules.push_back(read_rule(rules.size() + 1, technique::trimmed(text.substr(0, semicolon))));
        if (semicolon == std::string_view::npos) return rules;
        text.remove_prefix(semicolon + 1);
    }
}

bool matches(std::string_view pattern, const LoopPlace& place) {
    for (const std::string& spelling : place.spellings())
        if (glob(pattern, spelling)) return true;
    return false;
}

int first_match(std::span<const LoopRule> rules, const LoopPlace& place) {
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (matches(rules[i].pattern, place)) return static_cast<int>(i);
    return -1;
}

std::string allowed_loop_rules() {
    return "LOOP=SCHEDULE;... LOOP: FILE:LINE FILE FUNCTION, with * and ?; SCHEDULE: none " + schedule_names();
}

}  // namespace gimbal
