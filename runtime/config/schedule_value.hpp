// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/options.hpp"
#include "gimbal/schedule.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gimbal {

/// Whether a value of OMP_SCHEDULE is one that LLVM's own runtime understands: static, dynamic, guided, auto,
/// trapezoidal or static_steal, with an optional modifier and chunk (but not `auto,N`, which is LB4OMP's way to name a
/// selector), or EXPERIMENTAL. Such values are not Gimbal's.
/// @threads any  @cost O(length)
[[nodiscard]] bool is_ordinary_openmp(std::string_view text);

/// Read a schedule for an option.
/// @errors gimbal::Error(invalid_option): what() says what is wrong, hint() names the nearest technique, if any
[[nodiscard]] ScheduleSpec read_schedule(std::string_view text);

/// A schedule as Gimbal has written it down itself (GIMBAL_RECORD): its chunk may be any, not only one that OpenMP can
/// hand around as int. @errors as parse_schedule()
[[nodiscard]] ScheduleSpec parse_recorded_schedule(std::string_view text);

/// All techniques and selectors by name, and "runtime", with blanks between them.
[[nodiscard]] std::string schedule_names();

/// `Did you mean "word"?`, or nothing for an empty word.
[[nodiscard]] std::string did_you_mean(std::string_view word);

/// What is known about where a loop lies; whatever is not known is empty.
struct LoopPlace {
    std::string file;      ///< source file, as the compiler saw it
    int line = 0;          ///< of the loop; 0: unknown
    std::string function;  ///< as its author wrote it, without parameters
    std::string symbol;    ///< of the code in its object, e.g. "main._omp_fn.0"
    std::string name;      ///< as the report writes it

    /// Every spelling by which a pattern may mean this loop.
    [[nodiscard]] std::vector<std::string> spellings() const;
};

/// Read GIMBAL_LOOPS: `pattern=schedule` with `;` between the rules. What stands before the last '=' of a rule is its
/// pattern, so that operators have their names. Blanks around each part and a ';' at the end do not count.
/// @errors gimbal::Error(invalid_option): what() names the rule and what is wrong with it, hint() the nearest spelling
/// @threads any  @cost O(length)
[[nodiscard]] std::vector<LoopRule> read_loop_rules(std::string_view text);

/// Whether a pattern means a loop: it equals one of its spellings, `*` standing for any text and `?` for one character.
/// Spellings are `file:line` and `file` (by any number of the path's last components), the function (also without the
/// scopes, template arguments and return type that C++ adds, and without Fortran's decorations), the symbol, and the
/// name in the report.
/// @errors std::bad_alloc  @threads any  @cost O(spellings * their length * stars)
[[nodiscard]] bool matches(std::string_view pattern, const LoopPlace& place);

/// The first rule whose pattern means this loop.
/// @return its number in `rules`, or -1
[[nodiscard]] int first_match(std::span<const LoopRule> rules, const LoopPlace& place);

/// What may be written in a rule, in words.
[[nodiscard]] std::string allowed_loop_rules();

}  // namespace gimbal
