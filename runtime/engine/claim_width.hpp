// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/plan.hpp"
#include "measure/record.hpp"

namespace gimbal {

/// How many single steps of a constant-chunk plan a worker claims at once.
///
/// One: an atomic per chunk. More makes a chunk cheaper than the atomic, but what is claimed cannot be balanced any
/// more. So the width only doubles from one execution of a loop to the next, only while a whole claim takes less than
/// a microsecond, and falls back to one when the workers leave the loop too far apart; every such setback doubles the
/// number of executions until the next try. A loop that runs once never claims more than one step.
/// @threads guarded by its owner  @source test: tests/unit/engine/claim_width_test.cpp
class ClaimWidth {
public:
    /// Whether the width for this plan is learnt from one execution to the next.
    [[nodiscard]] static bool applies(const Plan& plan) noexcept;

    /// @return steps to claim at once for this plan [count], >= 1
    [[nodiscard]] std::uint64_t width(const Plan& plan) const noexcept;

    /// @param record  of an execution of `plan` under width(plan)
    void learn(const LoopRecord& record, const Plan& plan) noexcept;

private:
    std::uint64_t width_ = 1;
    unsigned setbacks_ = 0;   // each doubles how long the next try waits
    std::uint64_t wait_ = 0;  // executions to sit out before trying again
};

}  // namespace gimbal
