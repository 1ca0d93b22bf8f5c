// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "counters/descriptors.hpp"
#include "counters/reading.hpp"

namespace gimbal::pin {

enum class PerfKind : std::uint8_t { instructions, task_clock };

/// One perf event of one thread, counted in user mode, in whatever processor the thread is.
/// @threads one at a time  @cost read: 1 us, and an interrupt between processors if the thread runs on another
/// @source perf_event_open(2); test: tests/unit/pinning/counters/ladder_test.cpp
class PerfEvent {
public:
    /// @return empty, or why not, in words
    std::string open(PerfKind kind, pid_t tid);
    /// Fills value, enabled_ns and running_ns.
    bool read(Reading& reading) const noexcept;

private:
    Descriptor file_;
};

}  // namespace gimbal::pin
