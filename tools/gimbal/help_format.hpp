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

/// CLI11's help, except that a command that runs a program says where the program stands, that an option has one
/// type: that of its range, where CLI11 writes "UINT:INT in [1 - 8]", and that no line is longer than 80 characters.
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
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        const std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
        std::string folded;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            add_folded(text.substr(begin, end - begin), folded);
            begin = end + 1;
        }
        return folded;
    }

private:
    static constexpr std::size_t kWidth = 80;

    /// Where a line of two columns has its second one, within its first kWidth characters. @return 0: nowhere
    [[nodiscard]] std::size_t second_column(const std::string& line) const {
        if (line.starts_with("  -") && line[get_column_width() - 1] == ' ') return get_column_width();
        const std::size_t gap = line.rfind("  ", kWidth);
        return gap == std::string::npos || gap <= line.find_first_not_of(' ') ? 0 : gap + 2;
    }

    /// A line goes on below its second column, if there is room for one, or a little to the right of where it begins.
    void add_folded(std::string line, std::string& text) const {
        constexpr std::size_t kFarRight = 50, kLittle = 4;
        while (line.size() > kWidth) {
            const std::size_t column = second_column(line), first = line.find_first_not_of(' ');
            std::size_t at = column > kFarRight ? column : line.rfind(' ', kWidth) + 1;
            if (at <= first) at = line.rfind(',', kWidth - 1) + 1;
            if (at <= first) break;
            const bool below = column > 0 && column <= kFarRight;
            const std::size_t indent = below ? column : first > kLittle ? first : first + kLittle;
            const std::size_t last = line.find_last_not_of(' ', at - 1);
            text += line.substr(0, last + 1) + "\n";
            line = std::string(indent, ' ') + line.substr(at);
        }
        text += line + "\n";
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

/// The number of a process, for CLI::Option::check(): 0 is none. @return what is wrong
inline std::string is_process(const std::string& word) {
    const bool number = !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == word.npos;
    return number && word != "0" ? std::string() : "\"" + word + "\" is not the number of a process";
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
