// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/plain_text.hpp"

namespace gimbal::technique {

/// The separators that names ignore. Fixed, not the locale's: the host program may have changed that.
inline constexpr std::string_view kBlanks = " \t\n\r\v\f";

/// How a character of a name counts: capitals as small letters, '_' as '-'.
[[nodiscard]] constexpr char folded(char letter) noexcept {
    if (letter >= 'A' && letter <= 'Z') return static_cast<char>(letter - 'A' + 'a');
    return letter == '_' ? '-' : letter;
}

/// Is `text` a spelling of `name`? Case, blanks and '-' versus '_' do not matter.
/// @param name  normalised: lower case, '-', no blanks
/// @errors none, allocates nothing  @threads any  @cost O(length of text)
[[nodiscard]] constexpr bool spells(std::string_view text, std::string_view name) noexcept {
    std::size_t matched = 0;
    for (const char letter : text) {
        if (kBlanks.find(letter) != std::string_view::npos) continue;
        if (matched == name.size() || folded(letter) != name[matched]) return false;
        ++matched;
    }
    return matched == name.size();
}

/// The text as names are written: lower case, '-' for '_', no blanks.
/// @errors std::bad_alloc  @threads any  @cost O(length)
[[nodiscard]] inline std::string normalised(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        if (kBlanks.find(letter) == std::string_view::npos) result += folded(letter);
    }
    return result;
}

/// The text without blanks at its ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace gimbal::technique

namespace gimbal {

/// The words between blanks.
[[nodiscard]] inline std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (text = technique::trimmed(text); !text.empty(); text = technique::trimmed(text)) {
        const std::size_t end = std::min(text.find_first_of(technique::kBlanks), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

/// ASCII lower case.
[[nodiscard]] inline std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = ascii_lower(c);
    return lower;
}

}  // namespace gimbal
