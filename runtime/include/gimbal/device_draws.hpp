// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <utility>

#include "gimbal/device_rows.hpp"
#include "gimbal/loop.h"

// Programs do not link against libgimbal.so, and without it these are null.
#pragma weak gimbal_loop_begin
#pragma weak gimbal_loop_next
#pragma weak gimbal_loop_end

namespace gimbal {

/// What one worker draws of an execution of a DeviceLoop; where there was no memory for one, each gets a block of equal
/// size. @threads one worker
class DeviceDraws {
public:
    /// @param opened  what gimbal_loop_open() returned  @param rows  of the execution
    DeviceDraws(void* opened, std::int64_t rows, std::uint32_t worker, std::uint32_t workers) : opened_(opened) {
        if (opened_)
            gimbal_loop_begin(opened_, worker, &share_);
        else
            block_ = {rows * worker / workers, rows * (worker + 1) / workers};
    }
    ~DeviceDraws() {
        if (opened_) gimbal_loop_end(&share_);
    }
    DeviceDraws(const DeviceDraws&) = delete;
    DeviceDraws& operator=(const DeviceDraws&) = delete;

    /// @return no rows: there are no more
    Rows next() {
        if (!opened_) return std::exchange(block_, {});
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        if (!gimbal_loop_next(&share_, &first, &end)) return {};
        return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)};
    }

private:
    void* opened_;
    gimbal_share share_ = {};
    Rows block_;
};

}  // namespace gimbal
