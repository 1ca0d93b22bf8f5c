// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <string>

#include "counters/descriptors.hpp"
#include "counters/papi_library.hpp"
#include "counters/reading.hpp"

namespace gimbal::pin {

/// PAPI_TOT_INS of one thread, in an event set of its own. PAPI's word that it can be counted is not taken: add, start
/// and read all have to succeed, and choose_rung() wants to see it advance.
/// @threads start, stop: the same thread; read: any, one at a time  @cost read: 2 to 6 us
/// @source reference on placement, section 3; test: tests/unit/pinning/counters/ladder_test.cpp
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
