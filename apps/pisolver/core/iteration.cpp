// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "iteration.hpp"

namespace pisolver {

double pi_by_midpoint(std::int64_t steps) noexcept {
    const double h = 1.0 / static_cast<double>(steps);
    double sum = 0.0;
    for (std::int64_t k = 0; k < steps; ++k) {
        const double x = (static_cast<double>(k) + 0.5) * h;
        sum += 4.0 / (1.0 + x * x);
    }
    return h * sum;
}

}  // namespace pisolver
