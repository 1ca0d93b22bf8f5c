// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/pu_list.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "gimbal/error.hpp"

namespace gimbal::pin {

namespace {

constexpr int kMax = 65535;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

[[noreturn]] void refuse(std::string_view what, std::string_view part, const char* why) {
    throw Error(ErrorCode::invalid_option, std::string(what) + ": \"" + std::string(part) + "\" " + why,
                "processors are written like 0-7,16 and nodes are separated by semicolons: 0-7;8-15");
}

int number(std::string_view text, std::string_view what, std::string_view part) {
    text = trimmed(text);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        refuse(what, part, "is not a processor number or range");
    if (value > kMax) refuse(what, part, "is above 65535");
    return value;
}

/// Calls f with every piece between separators.
template <class F>
void split(std::string_view text, char separator, F f) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        f(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

}  // namespace

std::vector<int> parse_pu_list(std::string_view text, std::string_view what) {
    std::vector<int> pus;
    if (trimmed(text).empty()) return pus;
    split(text, ',', [&](std::string_view part) {
        part = trimmed(part);
        const auto dash = part.find('-');
        const int first = number(part.substr(0, dash), what, part);
        const int last = dash == std::string_view::npos ? first : number(part.substr(dash + 1), what, part);
        if (last < first) refuse(what, part, "ends before it begins");
        for (int pu = first; pu <= last; ++pu) pus.push_back(pu);
    });
    std::sort(pus.begin(), pus.end());
    pus.erase(std::unique(pus.begin(), pus.end()), pus.end());
    return pus;
}

std::string pu_list_text(std::span<const int> pus) {
    std::string text;
    for (std::size_t i = 0; i < pus.size();) {
        std::size_t end = i;
        while (end + 1 < pus.size() && pus[end + 1] == pus[end] + 1) ++end;
        if (!text.empty()) text += ',';
        text += std::to_string(pus[i]);
        if (end > i) text += '-' + std::to_string(pus[end]);
        i = end + 1;
    }
    return text;
}

std::vector<std::vector<int>> parse_pseudo_nodes(std::string_view text, std::string_view what) {
    std::vector<std::vector<int>> nodes;
    if (trimmed(text).empty()) return nodes;
    split(text, ';', [&](std::string_view part) {
        std::vector<int> node = parse_pu_list(part, what);
        if (node.empty()) refuse(what, text, "has an empty node");
        for (const std::vector<int>& other : nodes) {
            if (const std::vector<int> twice = both(node, other); !twice.empty())
                refuse(what, text, ("has processor " + pu_list_text(twice) + " in two nodes").c_str());
        }
        nodes.push_back(std::move(node));
    });
    return nodes;
}

std::vector<int> both(std::span<const int> a, std::span<const int> b) {
    std::vector<int> result;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

std::vector<int> without(std::span<const int> a, std::span<const int> b) {
    std::vector<int> result;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

}  // namespace gimbal::pin
