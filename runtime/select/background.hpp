// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace gimbal {

/// What is done off the path of the program, above all what selectors compute: one thread of low priority, started with
/// the OpenMP runtime where `auto` may choose, else when there is something to do for the first time. It blocks all
/// signals, runs where the process was allowed to run when the library was loaded, and is gone after fork() until the
/// child needs it.

/// Have `job` run once, soon. Jobs run one at a time, in order.
/// @param elsewhere  false: it runs here and now
/// @param urgent     before those that are not, also in the midst of one that waits for its share
/// @return false: it was not taken (out of memory, no thread to be had, the process is ending); it will not run
/// @threads any  @cost a lock, and the first time a thread
bool run_in_background(bool elsewhere, std::function<void()> job, bool urgent = false) noexcept;

/// Have the thread there for the next two seconds: where every core computes, making it when it is needed takes 0.1 ms
/// of a loop. Then it leaves, unless somebody had a job for it.
/// @return false: it is not there  @threads any  @cost a lock, and a thread
bool start_background() noexcept;

/// Have `job` run on that thread again and again, until the process ends or forks. There is one such job.
/// @param job  returns the time until it is to run again [s]; runs first as soon as the thread is there
/// @return as run_in_background()  @threads any  @cost a thread
bool repeat_in_background(std::function<double()> job) noexcept;

/// Wait for the job in progress, but not longer than a second, forget those that wait, and take no more. Called when
/// the process ends.
void stop_background() noexcept;

/// Wait, on that thread, until what comes next fits into its share: half a per cent of the processor time of the whole
/// process, or of the wall time if that is more, and so at most of its cores times wall time. By the clocks of thread
/// and process, not by estimates. The repeated job runs meanwhile if it is due. Elsewhere it returns at once.
/// @param expected_s  what comes next is expected to take of this thread; a long job says so piece by piece [s]
/// @return false: the process ends  @cost two system calls, half a microsecond or so
bool wait_for_share(double expected_s) noexcept;

/// Processor time of the thread that calls [s]. @threads any
[[nodiscard]] double thread_cpu_s() noexcept;

/// Whether the process is about to end and a long job should give up.
[[nodiscard]] bool background_is_stopping() noexcept;

/// Jobs that wait for the thread [count]. For tests. @threads any
[[nodiscard]] std::size_t background_waiting() noexcept;

/// Forks between the first process and this one [count]: a job that was handed in before the last one never runs here.
[[nodiscard]] std::uint64_t background_generation() noexcept;

/// No thread and no jobs: called in a forked child. @threads the only one
void restart_background_in_child() noexcept;

}  // namespace gimbal
