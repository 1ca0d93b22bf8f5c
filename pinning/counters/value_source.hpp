// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "counters/reading.hpp"
#include "counters/thread_counter.hpp"

namespace gimbal::pin {

/// Where a thread's value comes from: one kind per rung.
/// @threads read: the manager's; start_here, stop_here: the measured thread
class ValueSource {
public:
    virtual ~ValueSource() = default;
    /// Fills value, enabled_ns and running_ns; cpu_time_ns is there already.
    /// @return false: nothing to read
    virtual bool read(Reading& reading) noexcept = 0;
    /// @return empty, or why it does not work
    virtual std::string start_here() { return {}; }
    virtual void stop_here() noexcept {}
};

/// A source, or why there is none.
struct MadeSource {
    std::unique_ptr<ValueSource> source;
    std::string error;
};
/// @errors none but std::bad_alloc
[[nodiscard]] MadeSource make_source(Rung rung, const CounterTarget& target);

}  // namespace gimbal::pin
