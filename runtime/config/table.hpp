// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gimbal/options.hpp"
#include "gimbal/schedule.hpp"

namespace gimbal {

/// What an option's value looks like, and so how it is read and what its error says.
enum class OptionType : std::uint8_t {
    text,
    integer,
    real,
    boolean,
    choice,
    schedule,
    path,
    pattern,
    reals,
    loops,
    portfolio,
    pin_settings
};

/// A value that has been read. Text, choice, path, pattern, portfolio and pin_settings are strings (a choice is one of
/// the row's words).
using OptionValue =
    std::variant<std::string, std::int64_t, double, bool, ScheduleSpec, std::vector<double>, std::vector<LoopRule>>;

/// The row's word for a user's spelling, or empty if there is none.
/// @errors gimbal::Error(invalid_option) for a word that is known but not allowed
using CanonicalWord = std::string (*)(std::string_view text);

/// Which level's loops a name speaks for. Table 4.1 of seed 000 has two names for most settings of learning: KMP_RL_...
/// are the thread level's, LB4MPI_RL_... and MPI_RL_OPTION the rank level's. All others speak for both.
enum class Levels : std::uint8_t { both, threads, ranks };

/// One row of the option table. Environment, file, command line, help and documentation are all made from it.
struct OptionSpec {
    std::string_view name;                           ///< variable, "GIMBAL_..."; the file's key is the rest, lower case
    std::span<const std::string_view> aliases = {};  ///< other variables that mean the same, the strongest first
    OptionType type = OptionType::text;              ///< how the value is read
    std::string_view fallback = {};                  ///< default, as a user would write it; empty: not set
    std::span<const std::string_view> choices = {};  ///< allowed values of a choice
    double low = 0;                                  ///< smallest allowed integer or real
    double high = 0;                                 ///< largest allowed integer or real
    bool low_open = false;                           ///< low itself is not allowed
    std::size_t count = 0;                           ///< how many numbers a list has; 0: any number
    std::string_view level = {};        ///< what it applies to: "thread", "rank", both, "placement" or "all"
    std::string_view flag = {};         ///< option of `gimbal run`, e.g. "--report"; empty: none
    std::string_view doc = {};          ///< one sentence
    CanonicalWord canonical = nullptr;  ///< reads a choice; nullptr: the words themselves, any case
    std::string_view also = {};         ///< what else may be written for a choice, in words
    std::string_view with_commas = {};  ///< the option that a value with commas belongs to; empty: this
    bool hidden = false;                ///< internal: not in help and documentation
    void (*set)(Options&, const OptionValue&) = nullptr;  ///< put a value where it belongs
    /// The same for a row whose value may differ from level to level; one of the two is there.
    void (*select)(SelectorSettings&, const OptionValue&) = nullptr;
};

/// The option table, in the order in which documentation lists it.
/// @threads any  @cost O(1); constant-initialised, so safe in a library constructor
[[nodiscard]] std::span<const OptionSpec> option_table() noexcept;

/// The key of an option in a TOML file: its name in lower case without "GIMBAL_".
[[nodiscard]] std::string key_of(const OptionSpec& spec);

/// The row that a user's spelling means: the variable, an alias, or the key. Case matters for variables only.
/// @return nullptr if there is none
[[nodiscard]] const OptionSpec* find_option(std::string_view name, std::span<const OptionSpec> table = option_table());

/// How strong a name of a row is: 0 for its own, then the aliases in their order; unknown names count as own.
[[nodiscard]] std::size_t alias_place(std::string_view name);

/// Which level a name of a row speaks for, by its prefix.
[[nodiscard]] Levels levels_of(std::string_view name) noexcept;

/// Put a value where it belongs. @param levels  counts only for rows that keep one value per level
void put(const OptionSpec& spec, Levels levels, const OptionValue& value, Options& options);

/// What may be written for an option, in words; e.g. "off summary full", "an integer in [0, 10]".
[[nodiscard]] std::string allowed_values(const OptionSpec& spec);

/// Read a value. Blanks at both ends do not count.
/// @param text  what the user wrote; any length (more than 4096 bytes, for loop rules 65536, is an error)
/// @errors gimbal::Error(invalid_option): what() says what is wrong with the value, without the option's name;
///         hint() may name the nearest right spelling
/// @threads any  @cost O(length)
[[nodiscard]] OptionValue read_value(const OptionSpec& spec, std::string_view text);

}  // namespace gimbal
