// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal {

/// How often threads were taken off their cores lately, from what the system has counted so far.
/// @threads one at a time
class SharingRate {
public:
    /// @param time_s  of a clock that never stops  @param taken_off  by then [count]
    /// @return times a second; what it was before as long as the time since then tells too little
    double look(double time_s, std::uint64_t taken_off) noexcept;

private:
    double since_s_ = -1;  // < 0: never looked
    std::uint64_t taken_off_ = 0;
    double rate_ = 0;
};

/// Whether something else uses the cores of this process: its threads are taken off them again and again, by other
/// programs or by each other where they are more than the cores. Known after some 0.05 s of that.
/// @param workers  of the team that asks: the system itself takes a core now and then [count]
/// @threads any  @cost as ticks(); a system call every 20 ms
[[nodiscard]] bool cores_are_shared(std::uint32_t workers) noexcept;

}  // namespace gimbal
