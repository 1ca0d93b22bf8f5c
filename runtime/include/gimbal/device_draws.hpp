// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <utility>

#include "gimbal/device_rows.hpp"
#include "gimbal/loop.h"
#include "gimbal/traced_calls.h"

// Programs do not link against libgimbal.so, and without it these are null.
#pragma weak gimbal_loop_open
#pragma weak gimbal_loop_begin
#pragma weak gimbal_loop_next
#pragma weak gimbal_loop_end
#pragma weak gimbal_traced_calls

namespace gimbal {

/// What is called instead of gimbal/loop.h's functions where a trace is written; null: there is none. @threads any
inline const gimbal_traced_loop_calls* device_trace() {
    static const gimbal_traced_loop_calls* const traced = gimbal_traced_calls ? gimbal_traced_calls() : nullptr;
    return traced;
}

/// What one worker draws of an execution of a DeviceLoop; where there was no memory for one, each gets a block of equal
/// size. @threads one worker
class DeviceDraws {
public:
    /// @param opened  what gimbal_loop_open() returned  @param rows  of the execution
    DeviceDraws(void* opened, std::int64_t rows, std::uint32_t worker, std::uint32_t workers) : opened_(opened) {
        if (!opened_)
            block_ = {rows * worker / workers, rows * (worker + 1) / workers};
        else if (device_trace())
            device_trace()->begin(opened_, worker, &share_);
        else
            gimbal_loop_begin(opened_, worker, &share_);
    }
    ~DeviceDraws() {
        if (!opened_) return;
        if (device_trace())
            device_trace()->end(&share_);
        else
            gimbal_loop_end(&share_);
    }
    DeviceDraws(const DeviceDraws&) = delete;
    DeviceDraws& operator=(const DeviceDraws&) = delete;

    /// @return no rows: there are no more
    Rows next() {
        if (!opened_) return std::exchange(block_, {});
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        const int more =
            device_trace() ? device_trace()->next(&share_, &first, &end) : gimbal_loop_next(&share_, &first, &end);
        if (!more) return {};
        return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)};
    }

private:
    void* opened_;
    gimbal_share share_ = {};
    Rows block_;
};

}  // namespace gimbal
