// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// @file
/// What placement (pinning/) tells of the threads of this process, for those who learn from their times; and what loops
/// tell placement, which learns from what threads do per second.

namespace gimbal {

/// Counts the calling thread's instructions since some moment. @return 0: they cannot be counted here
using InstructionReader = std::uint64_t (*)() noexcept;

/// Who can count instructions says how; nullptr: nobody can any more. @threads any
void set_instruction_reader(InstructionReader reader) noexcept;

/// Instructions of the calling thread so far [count]; 0: nobody counts them.
/// @threads any  @cost a load, and the reader's where there is one: a microsecond
[[nodiscard]] std::uint64_t thread_instructions() noexcept;

/// A computing thread has been given other processors: what it does now is done at another place. @threads any
void note_placement_move() noexcept;

/// How often that happened in this process [count]. Executions in which it changes are of two placements.
/// @threads any  @cost a load
[[nodiscard]] std::uint64_t placement_moves() noexcept;

/// Another schedule holds a loop from now on; trials do not count. @threads any
void note_schedule_change() noexcept;

/// How often that happened in this process [count]. What threads did per second while it changes is of two schedules.
/// @threads any  @cost a load
[[nodiscard]] std::uint64_t schedule_changes() noexcept;

}  // namespace gimbal
