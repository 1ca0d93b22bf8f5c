// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "config/table.hpp"

// What rows of the option table about selection have in common: setters of a field, and rows of one kind.

namespace gimbal::selection_rows {

inline constexpr std::string_view kBothLevels = "thread, rank";

template <double SelectorSettings::*Member>
void set_real(SelectorSettings& settings, const OptionValue& value) {
    settings.*Member = std::get<double>(value);
}

template <std::string SelectorSettings::*Member>
void set_text(SelectorSettings& settings, const OptionValue& value) {
    settings.*Member = std::get<std::string>(value);
}

template <auto Member>
void set_integer(SelectorSettings& settings, const OptionValue& value) {
    auto& field = settings.*Member;
    field = static_cast<std::remove_reference_t<decltype(field)>>(std::get<std::int64_t>(value));
}

inline void set_agent(SelectorSettings& settings, const OptionValue& value) {
    const auto& word = std::get<std::string>(value);
    // The agent of steal ratios is no agent for techniques: it stands in RankSettings (config/selection.hpp).
    settings.agent = word == "none" || word == "steal-ratio" ? SelectorSettings().agent : word;
}

inline void set_rewards(SelectorSettings& settings, const OptionValue& value) {
    const auto& list = std::get<std::vector<double>>(value);
    for (std::size_t i = 0; i < settings.rewards.size(); ++i) settings.rewards[i] = list[i];
}

/// A row for a number in [0, high]. @param text  its default
template <double SelectorSettings::*Member>
constexpr OptionSpec real_row(std::string_view name, std::span<const std::string_view> aliases, std::string_view text,
                              double high, std::string_view doc) {
    return {.name = name,
            .aliases = aliases,
            .type = OptionType::real,
            .fallback = text,
            .high = high,
            .level = kBothLevels,
            .doc = doc,
            .select = set_real<Member>};
}

/// A row for a word of `words`, the first of which is the default.
template <std::string SelectorSettings::*Member>
constexpr OptionSpec word_row(std::string_view name, std::span<const std::string_view> aliases,
                              std::span<const std::string_view> words, CanonicalWord canonical, std::string_view doc) {
    return {.name = name,
            .aliases = aliases,
            .type = OptionType::choice,
            .fallback = words.front(),
            .choices = words,
            .level = kBothLevels,
            .doc = doc,
            .canonical = canonical,
            .select = set_text<Member>};
}

/// A row for the pattern of a file's path; not set by default.
template <std::string SelectorSettings::*Member>
constexpr OptionSpec file_row(std::string_view name, std::span<const std::string_view> aliases, std::string_view flag,
                              std::string_view doc) {
    return {.name = name,
            .aliases = aliases,
            .type = OptionType::pattern,
            .level = kBothLevels,
            .flag = flag,
            .doc = doc,
            .select = set_text<Member>};
}

}  // namespace gimbal::selection_rows
