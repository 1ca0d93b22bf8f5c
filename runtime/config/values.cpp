// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the text of an option becomes a value: one reader per type.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "config/pin_words.hpp"
#include "config/schedule_value.hpp"
#include "config/selection.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kLongest = 4096;  // no path and no list of weights of a real machine is longer [bytes]
constexpr std::size_t kLongestRules = 65536;

[[noreturn]] void fail(std::string what, std::string hint = {}) {
    throw Error(ErrorCode::invalid_option, std::move(what), std::move(hint));
}

std::string range_text(const OptionSpec& spec) {
    std::string text(spec.low_open ? "(" : "[");
    text.append(significant_digits(spec.low, 16)).append(", ").append(significant_digits(spec.high, 16));
    return text.append(std::isfinite(spec.high) ? "]" : ")");
}

void check_range(const OptionSpec& spec, double value, std::string_view text) {
    const bool low_ok = spec.low_open ? value > spec.low : value >= spec.low;
    if (!low_ok || !(value <= spec.high)) fail(quote_value(text) + " is not in " + range_text(spec));
}

std::int64_t read_integer(const OptionSpec& spec, std::string_view text) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status == std::errc::result_out_of_range) fail(quote_value(text) + " is not in " + range_text(spec));
    if (status != std::errc() || end != text.data() + text.size()) fail(quote_value(text) + " is not an integer");
    // A double rounds what is far from zero: 2^53 + 1 would become the limit of a seed.
    const auto low = static_cast<std::int64_t>(spec.low), high = static_cast<std::int64_t>(spec.high);
    if (value < low || value > high) fail(quote_value(text) + " is not in " + range_text(spec));
    return value;
}

double read_real(const OptionSpec& spec, std::string_view text) {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        fail(quote_value(text) + " is not a number");
    check_range(spec, value, text);
    return value;
}

std::vector<double> read_reals(const OptionSpec& spec, std::string_view text) {
    std::vector<double> values;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view word = technique::trimmed(text.substr(0, comma));
        if (word.empty()) fail("number " + std::to_string(values.size() + 1) + " of the list is empty");
        values.push_back(read_real(spec, word));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    if (spec.count != 0 && values.size() != spec.count)
        fail(std::to_string(values.size()) + " numbers instead of " + std::to_string(spec.count));
    return values;
}

bool read_boolean(std::string_view text) {
    const std::string word = to_lower(text);
    for (const std::string_view yes : {"on", "1", "yes", "true"})
        if (word == yes) return true;
    for (const std::string_view no : {"off", "0", "no", "false"})
        if (word == no) return false;
    fail(quote_value(text) + " is neither on nor off");
}

/// The nearest of the names in "QLearner SARSALearner; their numbers": the words with a capital letter first.
std::string nearest_name(std::string_view also, std::string_view text) {
    std::vector<std::string> names, small;
    for (std::string& word : words_of(also)) {
        if (word.front() < 'A' || word.front() > 'Z') continue;
        while (word.back() == ';' || word.back() == ',') word.pop_back();
        small.push_back(to_lower(word));
        names.push_back(std::move(word));
    }
    const std::vector<std::string_view> views(small.begin(), small.end());
    const std::string_view near = nearest(to_lower(text), views);
    const auto found = std::find(small.begin(), small.end(), near);
    return found == small.end() ? std::string() : names[static_cast<std::size_t>(found - small.begin())];
}

std::string read_choice(const OptionSpec& spec, std::string_view text) {
    if (spec.canonical) {
        std::string known = spec.canonical(text);
        if (known.empty()) {
            std::string near(nearest(technique::normalised(text), spec.choices));
            if (near.empty()) near = nearest_name(spec.also, text);
            fail("unknown value " + quote_value(text), did_you_mean(near));
        }
        return known;
    }
    std::string word = to_lower(text);
    for (const std::string_view choice : spec.choices)
        if (word == choice) return word;
    fail("unknown value " + quote_value(text), did_you_mean(nearest(word, spec.choices)));
}

std::string read_pattern(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') continue;
        const std::string_view letter = text.substr(i + 1, 1);
        if (letter.empty() || std::string_view("jrph%").find(letter) == std::string_view::npos)
            fail("unknown placeholder " + quote_value(text.substr(i, 2)) + " in " + quote_value(text));
        ++i;
    }
    return std::string(text);
}

}  // namespace

std::string did_you_mean(std::string_view word) {
    return word.empty() ? std::string() : "Did you mean \"" + std::string(word) + "\"?";
}

std::string allowed_values(const OptionSpec& spec) {
    switch (spec.type) {
        case OptionType::text:
            return "any text, at most 4096 bytes";
        case OptionType::path:
            return "a path, at most 4096 bytes";
        case OptionType::integer:
            return "an integer in " + range_text(spec);
        case OptionType::real:
            return "a number in " + range_text(spec);
        case OptionType::boolean:
            return "on off 1 0 yes no true false";
        case OptionType::schedule:
            return schedule_names();
        case OptionType::pattern:
            return "a path with %j %r %p %h %%";
        case OptionType::reals:
            return (spec.count ? std::to_string(spec.count) + " " : "") + "numbers in " + range_text(spec) +
                   ", commas between them";
        case OptionType::loops:
            return allowed_loop_rules();
        case OptionType::portfolio:
            return "seed expert, or techniques with their chunks, blanks or `;` between them";
        case OptionType::pin_settings:
            return "NAME=value with ; between them: " + pin_words();
        case OptionType::choice:
            break;
    }
    std::string words;
    for (const std::string_view choice : spec.choices) words.append(words.empty() ? "" : " ").append(choice);
    if (!spec.also.empty()) words.append(", or ").append(spec.also);
    return words;
}

OptionValue read_value(const OptionSpec& spec, std::string_view text) {
    const std::string_view word = technique::trimmed(text);
    if (word.empty()) fail("the value is empty");
    const std::size_t longest = spec.type == OptionType::loops ? kLongestRules : kLongest;
    if (word.size() > longest)
        fail("the value has " + std::to_string(word.size()) + " bytes, " + std::to_string(longest) +
             " are allowed: " + quote_value(word));
    switch (spec.type) {
        case OptionType::text:
        case OptionType::path:
            return std::string(word);
        case OptionType::integer:
            return read_integer(spec, word);
        case OptionType::real:
            return read_real(spec, word);
        case OptionType::boolean:
            return read_boolean(word);
        case OptionType::choice:
            return read_choice(spec, word);
        case OptionType::schedule:
            return read_schedule(word);
        case OptionType::pattern:
            return read_pattern(word);
        case OptionType::reals:
            return read_reals(spec, word);
        case OptionType::loops:
            return read_loop_rules(word);
        case OptionType::portfolio:
            return read_portfolio(word);
        case OptionType::pin_settings:
            (void)read_pin_words(word);
            return std::string(word);
    }
    fail("the option has no type");
}

}  // namespace gimbal
