// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "decide/words.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal::pin {

namespace {

constexpr Word<Mode> kModes[] = {{"LEARN", Mode::learn}, {"STATIC", Mode::fixed}, {"OBSERVE", Mode::observe}};

void read_scalar(const std::string& name, const std::string& text, Settings& settings) {
    for (const ScalarSetting& row : scalar_settings()) {
        if (row.name != name) continue;
        const double value = number_setting(name, text);
        if (value < row.low || value > row.high || (row.whole && value != std::floor(value)))
            invalid_setting(name, "\"" + text + "\" is out of range", std::string(row.about));
        row.set(settings, value);
        return;
    }
    std::string known =
        "known: MODE RESOURCES OPT_CRITERIA RESOURCES_EST_METHODS RESOURCES_OPT_METHODS RESOURCES_PERIODS, "
        "each also with CHILD_ before it,";
    for (const ScalarSetting& row : scalar_settings()) known += " " + std::string(row.name);
    throw Error(ErrorCode::unknown_option, "unknown setting \"" + name + "\"", known);
}

}  // namespace

std::vector<Resource> seed_resources() {
    return {{Level::node, Criterion::speed, EstimatorKind::rl, OptimiserKind::al, kOuterPeriod},
            {Level::core, Criterion::speed, EstimatorKind::rl, OptimiserKind::rl, kInnerPeriod}};
}

void invalid_setting(std::string_view name, std::string_view what, std::string hint) {
    throw Error(ErrorCode::invalid_option, std::string(name) + ": " + std::string(what), std::move(hint));
}

double number_setting(std::string_view name, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        invalid_setting(name, "\"" + std::string(text) + "\" is not a number", {});
    return value;
}

std::string upper_case(std::string_view text) {
    std::string word(text);
    for (char& c : word) c = ascii_upper(c);
    return word;
}

Settings parse_settings(const std::map<std::string, std::string>& given) {
    Values values;
    for (const auto& [name, text] : given) values[upper_case(name)] = text;
    Settings settings;
    if (std::any_of(values.begin(), values.end(), [](const auto& entry) { return is_resource_list(entry.first); }))
        read_resource_lists(values, settings);
    for (const auto& [name, text] : values) {
        if (is_resource_list(name)) continue;
        if (name == "MODE")
            settings.mode = worded(kModes, name, upper_case(text));
        else
            read_scalar(name, text, settings);
    }
    return settings;
}

}  // namespace gimbal::pin
