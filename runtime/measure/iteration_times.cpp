// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/iteration_times.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

void IterationTimes::merge(const IterationTimes& other) noexcept {
    iterations_ += other.iterations_;
    time_ += other.time_;
    time_squared_per_iteration_ += other.time_squared_per_iteration_;
    chunks_ += other.chunks_;
}

IterationStatistics IterationTimes::statistics(double overhead) const noexcept {
    IterationStatistics result;
    if (chunks_ < 2 || iterations_ <= 0) return result;
    result.mean = time_ / iterations_;
    const double variance = time_squared_per_iteration_ / iterations_ - result.mean * result.mean;
    result.sd = std::sqrt(std::max(variance, 0.0));
    result.overhead = overhead;
    result.known = result.mean > 0;
    return result;
}

}  // namespace gimbal
