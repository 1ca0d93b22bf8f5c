// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/schedule_value.hpp"

#include <algorithm>
#include <array>

#include "base/spelling.hpp"
#include "config/selection.hpp"
#include "gimbal/error.hpp"
#include "gimbal/technique.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kMore = "      more:";  // of parse_schedule(); load.cpp says it at the end
constexpr std::array<std::string_view, 6> kOrdinary = {"static", "dynamic",     "guided",
                                                       "auto",   "trapezoidal", "static_steal"};

}  // namespace

bool is_ordinary_openmp(std::string_view text) {
    const std::string value = to_lower(technique::trimmed(text));
    if (value.starts_with("experimental")) return true;
    std::string_view rest = value;
    const std::size_t colon = rest.find(':');
    if (colon != std::string_view::npos) {
        const std::string_view modifier = technique::trimmed(rest.substr(0, colon));
        if (modifier != "monotonic" && modifier != "nonmonotonic") return false;
        rest.remove_prefix(colon + 1);
    }
    const std::size_t comma = rest.find(',');
    const std::string_view name = technique::trimmed(rest.substr(0, comma));
    // OpenMP's auto has no number; LB4OMP's has.
    if (name == "auto" && comma != std::string_view::npos) return false;
    return std::find(kOrdinary.begin(), kOrdinary.end(), name) != kOrdinary.end();
}

ScheduleSpec read_schedule(std::string_view text) {
    try {
        return parse_schedule(text);
    } catch (const Error& error) {
        // Where the value came from goes between the two, and what is allowed after them: load.cpp adds both.
        const std::string suggestion = error.hint().substr(0, error.hint().find('\n'));
        const bool says_more = suggestion.starts_with("Did you mean") || suggestion.starts_with("example");
        throw Error(error.code(), error.what(), says_more ? suggestion.substr(0, suggestion.find(kMore)) : "");
    }
}

std::string schedule_names() {
    std::string names;
    for (const Technique* technique : techniques()) names += std::string(technique->info().name) + " ";
    for (const SelectorInfo& selector : selectors()) names += std::string(selector.name) + " ";
    return names + "runtime";
}

}  // namespace gimbal
