// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "measure/record.hpp"

namespace gimbal {

/// The workers' speeds in their static parts, smoothed over the executions of a loop: v_i = n_i / t_i of the static
/// part alone, w_i moves half way to P v_i / sum(v). What moves by less than a fiftieth stays as it is, so that plans
/// last. Where iterations cost different amounts the weights balance work as well as speed, which is right as long as
/// the costs stay where they are.
/// @threads guarded by its owner
/// @source Kale 2011 (weights from the completion times of the static part); smoothing derived;
///         test: tests/unit/measure/static_weights_test.cpp
class StaticWeights {
public:
    /// @param workers  [P] of one execution whose static parts were timed; others change nothing
    void add(std::span<const WorkerRecord> workers);

    /// @return [P], sum P; empty before the first timed execution
    [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }

private:
    std::vector<double> weights_;
};

}  // namespace gimbal
