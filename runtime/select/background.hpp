// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace gimbal {

/// What selectors compute off the path of the program: one thread of low priority, started when there is something to
/// do for the first time. It blocks all signals, runs where the process was allowed to run when the library was
/// loaded, and is gone after fork() until the child needs it.

/// Have `job` run once, soon. Jobs run one at a time, in order.
/// @param elsewhere  false: it runs here and now
/// @return false: it was not taken (out of memory, no thread to be had, the process is ending); it will not run
/// @threads any  @cost a lock, and the first time a thread
bool run_in_background(bool elsewhere, std::function<void()> job) noexcept;

/// Wait for the job in progress, forget those that wait, and take no more. Called when the process ends.
void stop_background() noexcept;

/// Whether the process is about to end and a long job should give up.
[[nodiscard]] bool background_is_stopping() noexcept;

/// Jobs that wait for the thread [count]. @threads any
[[nodiscard]] std::size_t background_waiting() noexcept;

/// Forks between the first process and this one [count]: a job that was handed in before the last one never runs here.
[[nodiscard]] std::uint64_t background_generation() noexcept;

/// No thread and no jobs: called in a forked child. @threads the only one
void restart_background_in_child() noexcept;

}  // namespace gimbal
