// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/error.hpp"
#include "gimbal/launchers.h"
#include "gimbal/options.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gimbal {

/// GIMBAL_LAUNCHERS (gimbal/launchers.h): the variables of a launcher that hold the rank, and how many there are.
#define GIMBAL_NAMES(rank, ranks) std::pair<std::string_view, std::string_view>{rank, ranks},
inline constexpr std::array kLaunchers = {GIMBAL_LAUNCHERS(GIMBAL_NAMES)};
#undef GIMBAL_NAMES

/// What Gimbal takes from the environment, read in one pass.
struct Environment {
    std::vector<Setting> settings;            ///< every GIMBAL_, KMP_RL_ and LB4MPI_RL_ variable, and other aliases
    std::optional<std::string> omp_schedule;  ///< OMP_SCHEDULE, if set
    int rank = 0;                             ///< as kLaunchers say
    int ranks = 1;                            ///< from the matching size variable; 1 if unknown
    std::string job;                          ///< identifier given by the batch system; empty: none
    std::size_t columns = 0;                  ///< COLUMNS: how wide text may be; 0: not set [characters]
    std::string home;                         ///< HOME; empty: not set
    std::string cache_home;                   ///< XDG_CACHE_HOME; empty: not set
    std::string launch;                       ///< of one start within a job, as its launcher tells; empty: none
};

/// Read the environment; the only place where Gimbal does.
/// @param variables  "NAME=value" strings ending with a null pointer, e.g. `environ`; may be null
/// @errors std::bad_alloc  @threads while nobody calls setenv  @cost one pass
[[nodiscard]] Environment read_environment(const char* const* variables);

/// Settings, and everything that was wrong with what the user wrote.
struct LoadedOptions {
    Options options;              ///< complete; the default stands where the user's value was wrong
    std::vector<Error> problems;  ///< in the order environment (aliases first), overrides, file; empty: all is well
    std::size_t in_file = 0;      ///< how many of them, the last ones, are the settings file's [count]
};

/// Judge what the user wrote. Precedence: overrides, then environment, then file, then default; in the environment an
/// option's own name beats its aliases. Values that lose are checked all the same.
/// @param overrides  of set_option() or the command line; later ones win
/// @errors std::bad_alloc; problems are returned, not thrown
/// @threads any  @cost reads the configuration file, if one is named
[[nodiscard]] LoadedOptions load_options(const Environment& environment, std::span<const Setting> overrides = {});

/// Set one option of this process, as tools and tests do; beats environment and file. Objects that have read options()
/// before keep what they read.
/// @param name   "GIMBAL_SCHEDULE" or "schedule"
/// @param value  as in the environment
/// @errors gimbal::Error(invalid_option or unknown_option); nothing is changed then
/// @threads any, serialised by a lock  @cost reads every option again
void set_option(std::string_view name, std::string_view value);

/// The first problem as an exception.
/// @errors gimbal::Error if there is a problem
void validate(const LoadedOptions& loaded);

/// What a library constructor calls: read the environment of this process and publish options(). A wrong setting keeps
/// Gimbal out (keep_out()); with GIMBAL_STRICT=0 each is a warning. Prints the settings if GIMBAL_DISPLAY asks for it.
/// A second call does nothing. The program is never ended: it may be any that inherited LD_PRELOAD, a shell for
/// instance.
/// @errors none: does not throw  @threads before the program's own start  @cost one pass over the environment
void load_options_at_start() noexcept;

/// A setting is wrong: leave the program's threads alone, with a warning. It is said once, by rank 0, and by the first
/// of processes that start each other.
/// @param own  it is wrong for this rank alone, which says so itself, and in the report
/// @errors none: does not throw  @threads before the program's own start
void keep_out(const Error& error, bool own = false) noexcept;

/// The environment as it was at the first reading; rank, ranks and job of this process.
/// @threads any  @cost one load after the first call
[[nodiscard]] const Environment& process_environment();

/// An error in the form that users see: "gimbal: error: what", and the hint on a second line.
/// @param severity  "error" or "warning"
[[nodiscard]] std::string message_text(const Error& error, std::string_view severity);

/// Whether row `row` of the option table counts for ranks with another value, or from elsewhere, than for threads.
[[nodiscard]] bool differs_for_ranks(const Options& options, std::size_t row);

/// What a message calls a setting: the flag of `gimbal run` if that gave it, else the variable.
/// @param name  of a row of the option table
[[nodiscard]] std::string given_as(const Options& options, std::string_view name);

/// Every setting that is not hidden, with its origin, one per line.
[[nodiscard]] std::string settings_text(const Options& options);

/// Write to standard error with write(2): works before and after the life of the C++ streams. All of it, unless who
/// reads a pipe has stopped for 5 s (write_all()).
void write_stderr(std::string_view text) noexcept;

/// Read the settings of a TOML file, as text: booleans become on and off, arrays of numbers a list with
/// commas, arrays of words and the table [loops] rules with semicolons.
/// @param path  file of at most 1 MiB
/// @return one Setting per key, in the file's order of lines, origin "file <path>"
/// @errors gimbal::Error(file): cannot be read, or is not TOML (with the line); gimbal::Error(unknown_option): a
///         table, or a value of a type that no option has
/// @threads any  @cost O(size)
[[nodiscard]] std::vector<Setting> read_settings_file(const std::string& path);

}  // namespace gimbal
