// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>

#include <chrono>
#include <thread>

namespace apps {

// clock_gettime() and not std::chrono: in a program of simulated ranks it is that of virtual time.
inline double seconds_on(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A clock that only runs forward [s], from some moment on.
/// @errors none   @threads any   @cost 20 ns
inline double wall_s() {
    return seconds_on(CLOCK_MONOTONIC);
}

/// Wall time that a piece of work takes [s], on a clock that only runs forward.
/// @errors those of work   @threads the caller's   @cost two readings of the clock
template <class Work>
double seconds_of(const Work& work) {
    const double begin_s = wall_s();
    work();
    return wall_s() - begin_s;
}

/// Processor time that the calling thread has used [s]: unlike wall time, it does not see what else a core does.
/// @errors none   @threads the caller's   @cost one system call
inline double thread_cpu_s() {
    return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

/// Work that can be made to last longer than it computes, by sleeping: then ranks that share cores behave as if each
/// had its own, as long as those are not busy all the time; and simulated ranks, whose computing takes no time, take
/// some.
/// @threads one
class Lasting {
public:
    /// @param work  returns how long it is to last, with sleeping for the rest [s]
    template <class Work>
    void run(const Work& work) {
        // Nobody wakes up in time: the next piece has to be that much shorter, so that sums are right.
        const double begin_s = wall_s() - late_s_;
        const double end_s = begin_s + work();
        const double rest_s = end_s - wall_s();
        if (rest_s > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(rest_s));
        late_s_ = wall_s() > end_s ? wall_s() - end_s : 0.0;
    }

private:
    double late_s_ = 0.0;  // how much longer the last one took than it should have
};

}  // namespace apps
