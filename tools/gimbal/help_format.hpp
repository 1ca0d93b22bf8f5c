// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <CLI/CLI.hpp>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "config/schedule_value.hpp"

namespace gimbal::tool {

/// CLI11's help, except that a command that runs a program says where the program stands, and that an option has one
/// type: that of its range, where CLI11 writes "UINT:INT in [1 - 8]".
class HelpFormat : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App* app, std::string name) const override {
        std::string usage = CLI::Formatter::make_usage(app, std::move(name));
        if (app->get_prefix_command()) usage.insert(usage.find_last_not_of('\n') + 1, " -- PROGRAM [ARGUMENTS]");
        return usage;
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        std::string words = CLI::Formatter::make_option_opts(option);
        const std::size_t colon = words.find(':');
        const std::size_t range = words.find(" in [");
        if (colon < range && range != std::string::npos) words.erase(1, colon);  // words begin with a blank
        return words;
    }
};

/// A number in [low, high]: CLI::Range, except that it refuses "nan", which is neither below nor above.
inline CLI::Validator finite(double low, double high) {
    CLI::Validator range = CLI::Range(low, high);
    const CLI::Validator inner = range;
    return range.operation([inner](std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && std::isnan(value)) return "Value " + text + " is not a number";
        return inner(text);
    });
}

/// One of these words: CLI::IsMember, except that it says which one was meant.
inline CLI::Validator one_of(std::vector<std::string> words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
    const auto check = [words](std::string& text) -> std::string {
        if (std::find(words.begin(), words.end(), text) != words.end()) return {};
        const std::vector<std::string_view> views(words.begin(), words.end());
        const std::string suggestion = did_you_mean(nearest(text, views));
        std::string said =
            "\"" + text + "\" is not allowed." + (suggestion.empty() ? "" : " " + suggestion) + " Allowed:";
        for (const std::string& word : words) said += " " + word;
        return said;
    };
    return CLI::Validator(check, "{" + list + "}");
}

}  // namespace gimbal::tool
