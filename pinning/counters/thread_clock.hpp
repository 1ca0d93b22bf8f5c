// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>
#include <time.h>

#include <string>

#include "counters/descriptors.hpp"
#include "counters/reading.hpp"

namespace gimbal::pin {

/// How long a thread was on a processor, and how long it waited for one: the thread's clock and schedstat.
/// @threads one at a time  @cost read: 1 to 2 us with a kept file, 6 to 12 us without
/// @source reference on placement, section 3; test: tests/unit/pinning/counters/thread_counter_test.cpp
class ThreadClock {
public:
    ThreadClock() = default;
    /// @param pid  0: this process
    ThreadClock(pid_t pid, pid_t tid);

    /// Fills cpu_time_ns, wait_ns and wall_ns.
    /// @return false: the thread has ended; wall_ns is set all the same
    bool read(Reading& reading) noexcept;

private:
    bool schedstat(long long& cpu_ns, long long& wait_ns) noexcept;

    bool own_ = true;  ///< of this process: its clock can be read
    clockid_t clock_ = 0;
    std::string path_;
    Descriptor file_;
    bool has_schedstat_ = false;
};

/// Processor time of a thread of this process so far [ns]. @return -1: it is gone  @cost one system call
[[nodiscard]] long long thread_cpu_ns(pid_t tid) noexcept;

/// Nanoseconds on the monotonic clock.
[[nodiscard]] long long monotonic_ns() noexcept;

}  // namespace gimbal::pin
