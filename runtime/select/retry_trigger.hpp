// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// When a choice that was once the best has to be looked for again: the imbalance has risen by more than ten points
/// over what it was when the choice was made, in two executions in a row, since a single one may have been disturbed.
/// @threads guarded by its owner
/// @source Mohammed et al. 2022 (Auto4OMP), where one execution is enough; test: tests/unit/select/exhaustive_test.cpp
class RetryTrigger {
public:
    /// @param imbalance  LB of the choice when it was measured, [0, 1]
    void settle(double imbalance) noexcept {
        settled_at_ = imbalance;
        high_ = 0;
    }

    /// @return whether it is time to search again
    [[nodiscard]] bool risen(double imbalance) noexcept {
        high_ = imbalance > settled_at_ + kRise ? high_ + 1 : 0;
        return high_ >= kInARow;
    }

private:
    static constexpr double kRise = 0.10;
    static constexpr unsigned kInARow = 2;

    double settled_at_ = 0;
    unsigned high_ = 0;  // executions in a row that were too high
};

}  // namespace gimbal
