// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/least_chunk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gimbal {

std::uint64_t least_chunk(const TechniqueInfo& technique, std::uint64_t iterations, std::uint32_t workers,
                          const DrawCosts& costs) noexcept {
    constexpr double kWorkPerDrawing = 100;
    constexpr std::uint64_t kFirstChunks = 128;  // per worker, in a first execution, of which nothing is known
    if (!technique.needs_statistics && !technique.measured_chunk) return 0;
    if (costs.iteration_time <= 0)
        return technique.measured_chunk ? std::bit_floor(iterations / (kFirstChunks * workers)) : 0;
    // Drawing takes each worker N h / k P, and the last chunk half of k t: their sum is least at sqrt(2 N h / P t).
    const double per_worker = static_cast<double>(iterations) / workers;
    const double least = technique.measured_chunk
                             ? std::sqrt(2 * per_worker * costs.dispatch * costs.contention / costs.iteration_time)
                             : kWorkPerDrawing * costs.dispatch / costs.iteration_time;
    const std::uint64_t most = iterations / (2 * std::uint64_t{workers}) + 1;
    return least < static_cast<double>(most) ? std::bit_floor(static_cast<std::uint64_t>(least)) : most;
}

std::uint64_t asked_least(const TechniqueInfo& technique, std::uint64_t iterations, std::uint32_t workers,
                          std::uint64_t least) noexcept {
    if (least <= 1 || technique.name == "static") return 0;
    return std::min(least, iterations / (2 * std::uint64_t{workers}) + 1);
}

}  // namespace gimbal
