// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/text.hpp"

#include <cstddef>

namespace gimbal {

namespace {
constexpr std::string_view kBlanks = " \t\r\n\f\v";
}  // namespace

std::string_view trim(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

}  // namespace gimbal
