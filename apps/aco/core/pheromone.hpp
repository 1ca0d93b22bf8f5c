// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "library.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace aco {

constexpr double kEvaporation = 0.1;  ///< rho: the share of the pheromone that an iteration loses, and what it lays

/// How good it has been to process a job at a position: what the ants of earlier iterations tell those of the next.
/// Always in [floor(), 1].
class Pheromone {
public:
    /// 1 everywhere. @param jobs  n >= 1   @cost n^2 doubles
    explicit Pheromone(std::size_t jobs)
        : jobs_(jobs), floor_(1.0 / (2.0 * static_cast<double>(jobs))), values_(jobs * jobs, 1.0) {}

    /// 1 everywhere, again.
    void reset() { std::fill(values_.begin(), values_.end(), 1.0); }

    /// Smallest value, 1 / (2n): no job is ever ruled out at a position.
    double floor() const { return floor_; }

    /// Of all jobs at a position. @return [n]
    std::span<const double> at(std::size_t position) const { return {values_.data() + position * jobs_, jobs_}; }

    /// End of an iteration: all values shrink by rho, those along a schedule grow by rho.
    /// The amount does not depend on the schedule's tardiness, which may be 0.
    /// @param order  [n] the best schedule so far   @errors none   @threads alone   @cost O(n^2)
    void learn(std::span<const Job> order) {
        for (double& value : values_) value = std::max((1.0 - kEvaporation) * value, floor_);
        for (std::size_t position = 0; position < jobs_; ++position) {
            double& value = values_[position * jobs_ + order[position]];
            value = std::min(value + kEvaporation, 1.0);
        }
    }

private:
    std::size_t jobs_;
    double floor_;
    std::vector<double> values_;  ///< [n x n] position by position
};

}  // namespace aco
