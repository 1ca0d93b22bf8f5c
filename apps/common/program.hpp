// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace apps {

/// Do a program's work, and see that its output is written. An error is one line on standard error.
/// @return the exit code: 0, or 1 after an exception or if standard output cannot be written   @errors none
int run_program(const char* name, const std::function<void()>& work);

/// Read a command line. Prints help and version to standard output, and what is wrong as one line to standard error.
/// @param app    with the program's name and its options
/// @param check  called after a good parse, for what CLI11's own checks cannot see; it may call require()
/// @param speak  false on all ranks but one, which read the same line and end the same way without a word
/// @return the exit code where nothing is to be run: 0 after --help or --version, 2 after a wrong command line
std::optional<int> read_command_line(CLI::App& app, int argc, char** argv, const std::function<void()>& check,
                                     bool speak = true);

/// The option --seed, a number from 0.
void add_seed(CLI::App& app, std::uint64_t& seed, const char* what);

/// The option --steps, a number from 1.
void add_steps(CLI::App& app, std::int64_t& steps);

/// @errors CLI::ValidationError that names the option, unless good
void require(bool good, const char* option, const char* message);

/// Text for an error, which is one line: without line feeds, and cut if it is long.
std::string short_text(std::string text);

}  // namespace apps
