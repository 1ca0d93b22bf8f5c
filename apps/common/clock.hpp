// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>

#include <chrono>

namespace apps {

/// Wall time that a piece of work takes [s], on a clock that only runs forward.
/// @errors those of work   @threads the caller's   @cost two readings of the clock
template <class Work>
double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A clock that only runs forward [s], from some moment on.
/// @errors none   @threads any   @cost 20 ns
inline double wall_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Processor time that the calling thread has used [s]: unlike wall time, it does not see what else a core does.
/// @errors none   @threads the caller's   @cost one system call
inline double thread_cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace apps
