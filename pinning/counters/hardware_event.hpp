// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "counters/descriptors.hpp"
#include "counters/papi_library.hpp"
#include "counters/reading.hpp"

namespace gimbal::pin {

enum class PerfKind : std::uint8_t { instructions, task_clock };

/// One perf event of one thread, counted in user mode, in whatever processor the thread is.
/// @threads one at a time  @cost read: 1 us, and an interrupt between processors if the thread runs on another
/// @source perf_event_open(2); test: tests/unit/pinning/counters/counter_backends_test.cpp
class PerfEvent {
public:
    /// @return empty, or why not, in words
    std::string open(PerfKind kind, pid_t tid);
    /// Fills value, enabled_ns and running_ns.
    bool read(Reading& reading) const noexcept;

private:
    Descriptor file_;
};

/// PAPI_TOT_INS of one thread, in an event set of its own. PAPI's word that it can be counted is not taken: add, start
/// and read all have to succeed, and choose_backend() wants to see it advance.
/// @threads start, stop: the same thread; read: any, one at a time  @cost read: 2 to 6 us
/// @source reference on placement, section 3; test: tests/unit/pinning/counters/counter_backends_test.cpp
class PapiEvent {
public:
    explicit PapiEvent(PapiLibrary& papi) noexcept : papi_(&papi) {}
    PapiEvent(const PapiEvent&) = delete;
    PapiEvent& operator=(const PapiEvent&) = delete;
    ~PapiEvent() { stop(); }

    /// @param tid  whose instructions; 0: those of the calling thread, not attached
    /// @return empty, or why not, in words
    std::string start(pid_t tid);
    void stop() noexcept;
    /// Fills value.
    bool read(Reading& reading) noexcept;

private:
    PapiLibrary* papi_;
    int set_ = PapiLibrary::kNull;
    bool running_ = false;
    DescriptorSlot slot_;
};

}  // namespace gimbal::pin
