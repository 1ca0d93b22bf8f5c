// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

namespace apps {

namespace {

constexpr int kWrongInput = 2;

}  // namespace

CommandLine read_command_line(CLI::App& app, int argc, char** argv, const std::function<void()>& check, bool speak) {
    try {
        app.parse(argc, argv);
        check();
    } catch (const CLI::CallForHelp&) {
        if (speak) std::fputs(app.help().c_str(), stdout);
        return {true, 0};
    } catch (const CLI::ParseError& error) {
        const std::string name = app.get_name();
        if (speak) {
            std::fprintf(stderr, "%s: error: %s (see %s --help)\n", name.c_str(), short_text(error.what()).c_str(),
                         name.c_str());
        }
        return {true, kWrongInput};
    }
    return {};
}

void require(bool good, const char* option, const char* message) {
    if (!good) throw CLI::ValidationError(option, message);
}

std::string short_text(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    constexpr std::size_t kLongest = 200;
    return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

}  // namespace apps
