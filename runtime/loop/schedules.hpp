// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "gimbal/schedule.hpp"

namespace gimbal {

/// Schedules by number, for hosts that can keep nothing but an int (libomp's schedule ICV).
/// @return the same number > 0 for the same schedule, as long as the process lives; 0, and a warning: there are more
///         than 262143, or no memory is left
/// @threads any; without a lock if it is known  @cost O(1) up to some ten thousand different schedules
[[nodiscard]] int intern(const ScheduleSpec& schedule) noexcept;

/// New lock after fork(). @threads the only one of a new child
void restart_schedules_lock() noexcept;

/// The program has called omp_set_schedule(). @threads any
void note_program_schedule(int kind, int chunk) noexcept;
/// What it asked for last, if that was one of OpenMP's own: "dynamic,4"; else "". @threads any
[[nodiscard]] std::string program_schedule();

/// The schedule of a number that intern() returned. @threads any; wait-free
[[nodiscard]] const ScheduleSpec& interned(int number) noexcept;

/// The same of any number. @return nullptr: it is nobody's  @threads any  @cost a lock
[[nodiscard]] const ScheduleSpec* interned_if_any(int number) noexcept;

/// The OpenMP runtime has begun, and neither OMP_SCHEDULE nor a setting asks for Gimbal. @threads any
void note_nobody_asked() noexcept;
[[nodiscard]] bool nobody_asked() noexcept;

}  // namespace gimbal
