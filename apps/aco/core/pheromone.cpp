// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pheromone.hpp"

#include <algorithm>

namespace aco {

Pheromone::Pheromone(std::size_t jobs)
    : jobs_(jobs), floor_(1.0 / (2.0 * static_cast<double>(jobs))), values_(jobs * jobs, 1.0) {}

void Pheromone::reset() {
    std::fill(values_.begin(), values_.end(), 1.0);
}

void Pheromone::learn(std::span<const Job> order) {
    for (double& value : values_) value = std::max((1.0 - kEvaporation) * value, floor_);
    for (std::size_t position = 0; position < jobs_; ++position) {
        double& value = values_[position * jobs_ + order[position]];
        value = std::min(value + kEvaporation, 1.0);
    }
}

}  // namespace aco
