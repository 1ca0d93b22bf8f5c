// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "gimbal/schedule.hpp"

namespace gimbal {

/// Whether a value of OMP_SCHEDULE is one that LLVM's own runtime understands: static, dynamic, guided, auto,
/// trapezoidal or static_steal, with an optional modifier and chunk (but not `auto,N`, which is LB4OMP's way to name a
/// selector), or EXPERIMENTAL. Such values are not Gimbal's.
/// @threads any  @cost O(length)
[[nodiscard]] bool is_ordinary_openmp(std::string_view text);

/// Read a schedule for an option.
/// @errors gimbal::Error(invalid_option): what() says what is wrong, hint() names the nearest technique, if any
[[nodiscard]] ScheduleSpec read_schedule(std::string_view text);

/// All techniques and selectors by name, and "runtime", with blanks between them.
[[nodiscard]] std::string schedule_names();

/// `Did you mean "word"?`, or nothing for an empty word.
[[nodiscard]] std::string did_you_mean(std::string_view word);

}  // namespace gimbal
