// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "columns.hpp"

#include <wchar.h>

#include "base/quote.hpp"
#include "report/table.hpp"

namespace gimbal::top {

namespace {

struct Letter {
    std::size_t bytes = 1;
    std::size_t columns = 1;
};

/// @pre the text is not empty
Letter first_letter(std::string_view text) {
    wchar_t letter = 0;
    std::mbstate_t state{};
    const std::size_t bytes = mbrtowc(&letter, text.data(), text.size(), &state);
    if (bytes == 0 || bytes > text.size()) return {};  // none, or part of one
    const int columns = wcwidth(letter);
    return {bytes, columns < 0 ? bytes : static_cast<std::size_t>(columns)};
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const Letter letter = first_letter(text);
        columns += letter.columns;
        text.remove_prefix(letter.bytes);
    }
    return columns;
}

std::string shortened_to(std::string_view name, std::size_t width) {
    const std::string text = escape_controls(name);
    return columns_of(text) <= width ? text : shorten_name(text, width);
}

std::string cut_to(std::string_view text, std::size_t width) {
    std::size_t bytes = 0, columns = 0;
    while (bytes < text.size()) {
        const Letter letter = first_letter(text.substr(bytes));
        if (columns + letter.columns > width) break;
        bytes += letter.bytes;
        columns += letter.columns;
    }
    return std::string(text.substr(0, bytes));
}

std::string filled_to(std::string_view text, std::size_t width, bool left) {
    const std::string shown = cut_to(text, width);
    const std::string fill(width - columns_of(shown), ' ');
    return left ? shown + fill : fill + shown;
}

}  // namespace gimbal::top
