// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gimbal {

/// How much of a wrong value a message shows [characters].
inline constexpr std::size_t kShownCharacters = 40;

/// A value from outside as messages show it: in double quotes, cut to kShownCharacters with "...", and with everything
/// that is not printable ASCII escaped, so that no value can break a message or a terminal.
/// @errors std::bad_alloc  @threads any  @cost O(1)
[[nodiscard]] inline std::string quote_value(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char letter : text.substr(0, kShownCharacters)) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            result += '\\';
            result += letter;
        } else if (letter == '\n') {
            result += "\\n";
        } else if (letter == '\t') {
            result += "\\t";
        } else if (byte < 0x20 || byte >= 0x7f) {
            result += "\\x";
            result += digits[byte / 16];
            result += digits[byte % 16];
        } else {
            result += letter;
        }
    }
    if (text.size() > kShownCharacters) result += "...";
    return result + '"';
}

}  // namespace gimbal
