// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "library.hpp"

namespace aco {

/// Jobs of which the second is late in any schedule that does not begin with it.
inline Instance three_jobs() {
    return {{3, 2, 4}, {1, 5, 2}, {9, 2, 5}};
}

/// Jobs with nothing in common. @param jobs  n
inline Instance many_jobs(std::size_t jobs) {
    Instance instance;
    for (std::size_t job = 0; job < jobs; ++job) {
        instance.processing.push_back(static_cast<std::int64_t>(1 + (job * 37) % 50));
        instance.weight.push_back(static_cast<std::int64_t>(1 + (job * 11) % 10));
        instance.due.push_back(static_cast<std::int64_t>((job * 53) % (12 * jobs)));
    }
    return instance;
}

}  // namespace aco
