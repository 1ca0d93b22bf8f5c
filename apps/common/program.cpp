// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <new>

namespace apps {

namespace {

constexpr int kWrongInput = 2;

}  // namespace

int run_program(const char* name, const std::function<void()>& work) {
    try {
        work();
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "%s: error: not enough memory\n", name);
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: error: %s\n", name, error.what());
        return 1;
    }
    if (std::fflush(stdout) != 0) {
        std::fprintf(stderr, "%s: error: cannot write to standard output\n", name);
        return 1;
    }
    return 0;
}

std::optional<int> read_command_line(CLI::App& app, int argc, char** argv, const std::function<void()>& check,
                                     bool speak) {
    try {
        app.parse(argc, argv);
        check();
    } catch (const CLI::CallForHelp&) {
        if (speak) std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::CallForVersion& version) {
        if (speak) std::printf("%s\n", version.what());
        return 0;
    } catch (const CLI::ParseError& error) {
        const std::string name = app.get_name();
        if (speak) {
            std::fprintf(stderr, "%s: error: %s (see %s --help)\n", name.c_str(), short_text(error.what()).c_str(),
                         name.c_str());
        }
        return kWrongInput;
    }
    return std::nullopt;
}

void add_seed(CLI::App& app, std::uint64_t& seed, const char* what) {
    app.add_option_function<std::int64_t>(
           "--seed", [&seed](const std::int64_t& value) { seed = static_cast<std::uint64_t>(value); }, what)
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
        ->default_str(std::to_string(seed));
}

void add_steps(CLI::App& app, std::int64_t& steps) {
    app.add_option("--steps", steps, "time steps")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{std::numeric_limits<std::int32_t>::max()}))
        ->capture_default_str();
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
