// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gimbal {

/// How much of a wrong value a message shows [characters].
inline constexpr std::size_t kShownCharacters = 40;

namespace detail {

/// One byte that no terminal shall see as it is.
inline void append_escaped(std::string& text, char letter) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(letter);
    text += '\\';
    if (letter == '\n')
        text += 'n';
    else if (letter == '\t')
        text += 't';
    else
        text.append({'x', digits[byte / 16], digits[byte % 16]});
}

}  // namespace detail

/// Text from a file or a program as a terminal may have it: control characters escaped, those of UTF-8 (U+0080 to
/// U+009F) too, so that no name moves the cursor, colours what follows or answers for the user. All else stays.
/// @param kept  control characters that stay, for example the line feeds of a report
/// @errors std::bad_alloc  @threads any  @cost O(size)
[[nodiscard]] inline std::string escape_controls(std::string_view text, std::string_view kept = {}) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        const bool of_utf8 = byte == 0xc2 && next >= 0x80 && next < 0xa0;
        if (!of_utf8 && ((byte >= 0x20 && byte != 0x7f) || kept.find(text[i]) != std::string_view::npos)) {
            result += text[i];
            continue;
        }
        detail::append_escaped(result, text[i]);
        if (of_utf8) detail::append_escaped(result, text[++i]);
    }
    return result;
}

/// A value from outside as messages show it: in double quotes, cut to kShownCharacters with "...", and with everything
/// that is not printable ASCII escaped, so that no value can break a message or a terminal.
/// @errors std::bad_alloc  @threads any  @cost O(1)
[[nodiscard]] inline std::string quote_value(std::string_view text) {
    std::string result = "\"";
    for (const char letter : text.substr(0, kShownCharacters)) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            result += '\\';
            result += letter;
        } else if (byte < 0x20 || byte >= 0x7f) {
            detail::append_escaped(result, letter);
        } else {
            result += letter;
        }
    }
    if (text.size() > kShownCharacters) result += "...";
    return result + '"';
}

}  // namespace gimbal
