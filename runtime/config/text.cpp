// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/text.hpp"

#include <algorithm>
#include <cstddef>

#include "gimbal/plain_text.hpp"

namespace gimbal {

namespace {
constexpr std::string_view kBlanks = " \t\r\n\f\v";
}  // namespace

std::string_view trim(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (text = trim(text); !text.empty(); text = trim(text)) {
        const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = ascii_lower(c);
    return lower;
}

}  // namespace gimbal
