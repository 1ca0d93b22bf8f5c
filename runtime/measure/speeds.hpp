// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "measure/record.hpp"

namespace gimbal {

/// The workers' speeds over the executions of a loop, later ones counting more: pi_i = sum_k(k t_ik) / sum_k(k n_ik)
/// with k the number of the execution, and weights P (1 / pi_i) / sum_j (1 / pi_j).
/// @threads guarded by its owner
/// @source Banicescu, Velusamy, Devaprasad 2003; test: tests/unit/measure/speeds_test.cpp
class Speeds {
public:
    /// @param workers  [P] of one execution
    void add(std::span<const WorkerRecord> workers);

    /// @return [P], sum P; empty before the first execution. A worker that never ran an iteration counts as the mean of
    ///         the others.
    [[nodiscard]] std::vector<double> weights() const;

private:
    struct Sums {
        double time = 0;
        double iterations = 0;
    };
    std::vector<Sums> sums_;
    double executions_ = 0;
};

}  // namespace gimbal
