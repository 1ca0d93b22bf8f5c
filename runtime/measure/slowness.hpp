// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <span>
#include <vector>

#include "measure/cost_profile.hpp"

namespace gimbal {

/// Part by which a worker may take longer than the median one for what the cost profile says, and still count as equal
/// to it. Costs that move are predicted late: who works where they rise looks slow by a fifth, without being so.
inline constexpr double kAlikeTimes = 0.35;

/// How much longer than others each worker takes for what the cost profile says: a slow core, or one that is shared
/// with another program. Without it the profile would book a slow worker's time to the place where it happened to
/// work. The median of the last three executions counts; who is within kAlikeTimes of the team counts as equal to it.
/// @threads guarded by its owner
/// @source derived; test: tests/unit/measure/slowness_test.cpp, and in virtual time feedback_test.cpp
class Slowness {
public:
    /// Take in one execution. @param workers  [P] beside the profile as it was before that execution
    void add(std::span<const ComparedCosts> workers);

    /// Factor on the time of each worker. @return [P], around 1; empty: nobody differs
    [[nodiscard]] const std::vector<double>& factors() const noexcept { return factors_; }

    /// The same as weights for what they should be given. @return [P], sum P; empty: nobody differs
    [[nodiscard]] std::vector<double> weights() const;

private:
    std::vector<std::array<double, 3>> last_;  // [P] newest first
    std::vector<double> factors_;
    std::size_t seen_ = 0;
};

}  // namespace gimbal
