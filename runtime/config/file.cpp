// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <charconv>

// The headers alone, without exceptions: no other shared object comes into strangers' processes for a small file.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/part_file.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;  // of a settings file [bytes]

/// A path in full: a user must be able to copy it.
std::string in_quotes(const std::string& path) {
    return '"' + path + '"';
}

std::string real_text(double value) {
    std::array<char, 40> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Only rules have names of their own on the left.
bool is_rules(const std::string& key) {
    const OptionSpec* const spec = find_option(key);
    return spec && spec->type == OptionType::loops;
}

std::string value_text(const toml::node& node, const std::string& where);

/// A table of rules as text, in the user's order: the first that matches counts.
std::string rules_text(const toml::table& table, const std::string& where) {
    std::vector<std::pair<toml::source_position, std::string>> rules;
    for (const auto& [key, node] : table)
        rules.emplace_back(key.source().begin, std::string(key.str()) + "=" + value_text(node, where));
    std::stable_sort(rules.begin(), rules.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    for (const auto& [position, rule] : rules) text.append(text.empty() ? "" : ";").append(rule);
    return text;
}

/// A TOML value as a user would have written it in the environment.
std::string value_text(const toml::node& node, const std::string& where) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
    if (const auto* real = node.as_floating_point()) return real_text(real->get());
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "on" : "off";
    if (const auto* array = node.as_array()) {
        std::string list;
        // Words are rules, with semicolons; numbers are a list, with commas.
        const char* const separator = array->is_homogeneous(toml::node_type::string) ? ";" : ",";
        for (const toml::node& item : *array)
            list.append(list.empty() ? "" : separator).append(value_text(item, where));
        return list;
    }
    if (const auto* table = node.as_table(); table && is_rules(where)) return rules_text(*table, where);
    throw Error(ErrorCode::unknown_option, where + ": tables and dates are not settings",
                "write one `key = value` per line      more: gimbal info config");
}

}  // namespace

std::vector<Setting> read_settings_file(const std::string& path) {
    const std::string text = read_file(path, kLargest);
    const toml::parse_result parsed = toml::parse(std::string_view(text));
    if (!parsed) {
        const toml::parse_error& error = parsed.error();
        throw Error(ErrorCode::file,
                    "line " + std::to_string(error.source().begin.line) + " of " + in_quotes(path) + ": " +
                        std::string(error.description()),
                    "allowed: TOML, e.g. schedule = \"fac2\"      more: gimbal info config");
    }
    std::vector<std::pair<toml::source_index, Setting>> found;
    for (const auto& [key, node] : parsed.table()) {
        const std::string name(key.str());
        found.push_back({node.source().begin.line, {name, value_text(node, name), "file " + path}});
    }
    // The parser keeps keys in alphabetical order; messages should follow the user's.
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Setting> settings;
    for (auto& [line, setting] : found) settings.push_back(std::move(setting));
    return settings;
}

}  // namespace gimbal
