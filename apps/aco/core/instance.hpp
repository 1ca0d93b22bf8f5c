// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Single machine total weighted tardiness: n jobs, one after the other on one machine, all there at time 0. A job that
/// ends after its due date costs its weight for every unit of time that it is late.
namespace aco {

/// Number of a job, from 0.
using Job = std::uint16_t;

constexpr std::int64_t kMaxNumber = 1'000'000;  ///< of any time or weight: no sum of theirs can overflow

/// One problem.
struct Instance {
    std::vector<std::int64_t> processing;  ///< [n] >= 1
    std::vector<std::int64_t> weight;      ///< [n] >= 1
    std::vector<std::int64_t> due;         ///< [n] >= 0

    std::size_t jobs() const { return processing.size(); }
};

/// Total weighted tardiness of a schedule.
/// @param order  [n] every job once, in the order of processing
/// @errors none   @threads pure   @cost O(n)
inline std::int64_t tardiness(const Instance& instance, std::span<const Job> order) {
    std::int64_t now = 0;
    std::int64_t total = 0;
    for (const Job job : order) {
        now += instance.processing[job];
        if (now > instance.due[job]) total += instance.weight[job] * (now - instance.due[job]);
    }
    return total;
}

}  // namespace aco
