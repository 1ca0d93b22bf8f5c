// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/schedule.hpp"

#include <charconv>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "config/selection.hpp"
#include "gimbal/error.hpp"

namespace gimbal {
namespace {

using technique::spells;
using technique::trimmed;

constexpr std::string_view kRuntime = "runtime";
constexpr std::string_view kModifiers[] = {"monotonic", "nonmonotonic"};
constexpr std::uint64_t kMaxChunk = (std::uint64_t{1} << 31) - 1;  // OpenMP hands chunks around as int
constexpr std::string_view kMore = "      more: gimbal info techniques";

[[noreturn]] void fail(std::string what, std::string hint) {
    throw Error(ErrorCode::invalid_option, std::move(what), std::move(hint));
}

/// `Did you mean "x"?` on a line of its own if a candidate is near, then what is allowed.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates, std::string allowed) {
    const std::string_view near = nearest(technique::normalised(word), candidates);
    if (near.empty()) return allowed;
    return "Did you mean \"" + std::string(near) + "\"?\n        " + allowed;
}

std::string allowed_techniques() {
    std::string allowed = "allowed:";
    for (const Technique* technique : techniques()) allowed.append(" ").append(technique->info().name);
    for (const SelectorInfo& selector : selectors()) allowed.append(" ").append(selector.name);
    return allowed.append(" ").append(kRuntime).append(kMore);
}

[[noreturn]] void fail_unknown_technique(std::string_view name) {
    std::vector<std::string_view> candidates;
    for (const Technique* technique : techniques()) candidates.push_back(technique->info().name);
    for (const SelectorInfo& selector : selectors()) candidates.push_back(selector.name);
    candidates.push_back(kRuntime);
    for (const Technique* technique : techniques()) {
        const auto aliases = technique->info().aliases;
        candidates.insert(candidates.end(), aliases.begin(), aliases.end());
    }
    fail("unknown technique " + quote_value(name), suggestion(name, candidates, allowed_techniques()));
}

Modifier parse_modifier(std::string_view text) {
    if (spells(text, "monotonic")) return Modifier::monotonic;
    if (spells(text, "nonmonotonic")) return Modifier::nonmonotonic;
    fail("unknown modifier " + quote_value(trimmed(text)),
         suggestion(text, kModifiers, "allowed before the colon: monotonic nonmonotonic"));
}

std::uint64_t parse_chunk(std::string_view text, std::uint64_t max_chunk) {
    const std::string example = "example: fac2,16" + std::string(kMore);
    text = trimmed(text);
    if (text.empty()) fail("no chunk after the comma or colon", example);
    std::uint64_t chunk = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, chunk);
    if (error != std::errc() || stop != end || chunk < 1 || chunk > max_chunk) {
        fail("chunk " + quote_value(text) + " is not an integer from 1 to " + std::to_string(max_chunk), example);
    }
    return chunk;
}

double parse_fraction(std::string_view text) {
    text = trimmed(text);
    double fraction = -1;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, fraction);
    if (error != std::errc() || stop != end || !(fraction >= 0 && fraction <= 1)) {
        fail("static fraction " + quote_value(text) + " is not a number from 0 to 1",
             "examples: lws,0.8   lws,0.8:16 (fraction and chunk)   lws,:16 (chunk alone)" + std::string(kMore));
    }
    return fraction;
}

/// @param number  what stands after `auto,`
std::string_view parse_auto(std::string_view number) {
    number = trimmed(number);
    std::uint64_t value = 0;
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, value);
    const SelectorInfo* const selector =
        error == std::errc() && stop == end && !number.empty() ? selector_of_auto(value) : nullptr;
    if (!selector)
        fail(quote_value("auto," + std::string(number)) + " is not a selector; allowed: " + auto_numbers(),
             "or write the name, e.g. expert; for a chunk runtime,16 with GIMBAL_SELECT=auto" + std::string(kMore));
    return selector->name;
}

/// "runtime" or a selector's name, with a chunk or without; or LB4OMP's `auto,N`.
/// @return whether Gimbal is to choose
bool parse_chooser(std::string_view text, std::uint64_t max_chunk, ScheduleSpec& schedule) {
    const std::size_t comma = text.find(',');
    const std::string_view name = trimmed(text.substr(0, comma));
    const SelectorInfo* const selector = find_selector(name);
    if (!selector && !spells(name, kRuntime)) return false;
    if (selector) schedule.selector = selector->name;
    if (comma == std::string_view::npos) return true;
    if (selector && selector->name == "auto") {
        schedule.selector = parse_auto(text.substr(comma + 1));
    } else {
        schedule.chunk = parse_chunk(text.substr(comma + 1), max_chunk);
    }
    return true;
}

std::string fraction_text(double fraction) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, fraction);
    return {text, error == std::errc() ? end : text};
}

ScheduleSpec parse(std::string_view text, std::uint64_t max_chunk) {
    ScheduleSpec schedule;
    if (const std::size_t colon = text.find_first_of(":,"); colon != std::string_view::npos && text[colon] == ':') {
        schedule.modifier = parse_modifier(text.substr(0, colon));
        text.remove_prefix(colon + 1);
    }
    const std::size_t comma = text.find(',');
    const std::string_view name = trimmed(text.substr(0, comma));
    if (name.empty()) fail("no technique given", allowed_techniques());
    if (parse_chooser(text, max_chunk, schedule)) return schedule;
    schedule.technique = find_technique(name);
    if (!schedule.technique) fail_unknown_technique(name);
    if (comma == std::string_view::npos) return schedule;
    text.remove_prefix(comma + 1);
    if (schedule.technique->info().fraction == FractionSource::none) {
        schedule.chunk = parse_chunk(text, max_chunk);
        return schedule;
    }
    const std::size_t colon = text.find(':');
    if (!trimmed(text.substr(0, colon)).empty() || colon == std::string_view::npos)
        schedule.fraction = parse_fraction(text.substr(0, colon));
    if (colon != std::string_view::npos) schedule.chunk = parse_chunk(text.substr(colon + 1), max_chunk);
    return schedule;
}

}  // namespace

ScheduleSpec parse_schedule(std::string_view text) {
    return parse(text, kMaxChunk);
}

ScheduleSpec parse_recorded_schedule(std::string_view text) {
    return parse(text, UINT64_MAX);
}

std::string to_string(const Schedule& schedule) {
    return to_string(ScheduleSpec{schedule});
}

std::string to_string(const ScheduleSpec& schedule) {
    std::string text;
    if (schedule.modifier == Modifier::monotonic) text += "monotonic:";
    if (schedule.modifier == Modifier::nonmonotonic) text += "nonmonotonic:";
    text += schedule.technique          ? schedule.technique->info().name
            : schedule.selector.empty() ? kRuntime
                                        : schedule.selector;
    const bool with_fraction = schedule.technique && schedule.technique->info().fraction != FractionSource::none;
    if (schedule.fraction >= 0) text.append(",").append(fraction_text(schedule.fraction));
    if (schedule.chunk == 0) return text;
    if (with_fraction && schedule.fraction < 0) text += ",";
    text.append(with_fraction ? ":" : ",").append(std::to_string(schedule.chunk));
    return text;
}

}  // namespace gimbal
