// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/iteration_times.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace gimbal {

void IterationTimes::SizeClass::merge(const SizeClass& other) noexcept {
    chunks += other.chunks;
    iterations += other.iterations;
    time += other.time;
    time_squared_per_iteration += other.time_squared_per_iteration;
}

double IterationTimes::SizeClass::scatter(double mean) const noexcept {
    const double sum = time_squared_per_iteration - 2 * mean * time + mean * mean * iterations;
    return chunks > 0 ? std::max(sum, 0.0) / chunks : 0;
}

void IterationTimes::add(std::uint64_t iterations, double time) noexcept {
    if (iterations == 0) return;
    const auto n = static_cast<double>(iterations);
    classes_[static_cast<std::size_t>(std::bit_width(iterations) - 1)].merge({1, n, time, time * time / n});
}

void IterationTimes::merge(const IterationTimes& other) noexcept {
    for (std::size_t k = 0; k < classes_.size(); ++k) classes_[k].merge(other.classes_[k]);
}

IterationStatistics IterationTimes::statistics(double overhead) const noexcept {
    SizeClass all;
    for (const SizeClass& one : classes_) all.merge(one);
    IterationStatistics result;
    if (all.chunks < 2 || all.iterations <= 0 || all.time <= 0) return result;
    result.mean = all.time / all.iterations;
    // Over all chunks first; then the sizes above the average one, where costs that drift along the loop show most.
    double variance = all.scatter(result.mean) * all.chunks / (all.chunks - 1);
    const double average_size = all.iterations / all.chunks;
    for (const SizeClass& one : classes_) {
        if (one.iterations > average_size * one.chunks) variance = std::max(variance, one.scatter(result.mean));
    }
    result.sd = std::sqrt(variance);
    result.overhead = overhead;
    result.known = true;
    return result;
}

}  // namespace gimbal
