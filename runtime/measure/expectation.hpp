// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace gimbal {

/// How long executions of a loop usually take under the choice that is believed to be the best, and how much they lose
/// by imbalance. Brought from an earlier run, it is a promise: the first few executions show whether it still holds.
/// @threads guarded by its owner
/// @source derived; test: tests/unit/kept/learner_test.cpp
class Expectation {
public:
    /// Take in an execution.
    /// @param time  per iteration, > 0 [ticks]  @param lost  1 - mean/max of the workers' times, in [0, 1]
    /// @return true: what an earlier run promised does not hold, this is the second of the first four executions that
    ///         is unlike it. One may have met cold caches or an interruption. The caller forgets what came with it
    /// @errors none  @cost O(1), some nanoseconds
    [[nodiscard]] bool take_in(double time, double lost) noexcept;

    /// @param tick_s  length of a tick [s]
    void save(ByteWriter& to, double tick_s) const;
    void restore(ByteReader& from, double tick_s) noexcept;

private:
    [[nodiscard]] bool unlike(double time, double lost) const noexcept;

    double time_ = 0;    // mean of the last ones, per iteration [ticks]; 0: none yet
    double spread_ = 0;  // mean absolute deviation of these, as a part of the mean
    double lost_ = 0;    // mean of the last ones
    std::uint32_t seen_ = 0;
    std::uint8_t to_check_ = 0;  // executions
    std::uint8_t unlike_ = 0;    // of those that were checked
};

}  // namespace gimbal
