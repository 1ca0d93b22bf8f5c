// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <utility>

#include "gimbal/device_rows.hpp"
#include "gimbal/gimbal.h"
#include "gimbal/hook_layout.h"
#include "gimbal/loop.h"
#include "gimbal/traced_calls.h"

// As in gimbal/gimbal.h: programs do not link against libgimbal.so, and without it these are null.
#pragma weak gimbal_hook_layout
#pragma weak gimbal_schedule_parse
#pragma weak gimbal_loop_open
#pragma weak gimbal_loop_begin
#pragma weak gimbal_loop_next
#pragma weak gimbal_loop_end
#pragma weak gimbal_traced_calls

namespace gimbal {

/// Whether Gimbal is loaded, of this version. @threads any
inline bool is_gimbal_here() {
    return gimbal_hook_layout && gimbal_schedule_parse && gimbal_loop_open &&
           gimbal_hook_layout() == gimbal_hook_layout_here();
}

/// What is called instead of gimbal/loop.h's functions where a trace is written; null: there is none. @threads any
inline const gimbal_traced_loop_calls* device_trace() {
    static const gimbal_traced_loop_calls* const traced = gimbal_traced_calls ? gimbal_traced_calls() : nullptr;
    return traced;
}

/// Opens an execution of Gimbal's. @param least  fewest rows of a chunk  @return null: there was no memory
/// @threads one of the team
inline void* open_execution(const char* source, std::int64_t rows, std::int64_t least, std::uint32_t workers,
                            int schedule) {
    gimbal_loop_desc desc = {};
    desc.source = source;
    desc.trip = static_cast<std::uint64_t>(rows);
    desc.unit = static_cast<std::uint64_t>(least);
    desc.workers = workers;
    desc.schedule = schedule;
    return device_trace() ? device_trace()->open(&desc) : gimbal_loop_open(&desc);
}

/// What one worker draws of an execution of a DeviceLoop; where there was no memory for one, each gets a block of equal
/// size. @threads one worker
class DeviceDraws {
public:
    /// @param opened  what open_execution() returned  @param rows  of the execution
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
