// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"

#include <cstdint>

namespace pisolver {

/// Pi as the integral of 4 / (1 + x^2) from 0 to 1 by the midpoint rule: the work of one iteration. It lies in a file
/// of its own, so that no caller's loop can be folded into one call.
/// @param steps  n >= 1 [count]   @return pi + 1 / (12 n^2), to O(n^-6) and rounding; bitwise the same for the same n
/// @errors none   @threads pure   @cost n x about 1.3 ns: one addition after the other
double pi_by_midpoint(std::int64_t steps) noexcept;

/// How far from pi a result may lie. @param smallest  least number of steps
inline double largest_error(std::int64_t smallest) {
    const auto n = static_cast<double>(smallest);
    return 1.0 / (12.0 * n * n) + 1e-12;
}

/// One iteration of the loop. It can be made to last longer than it computes: apps::Lasting.
/// @threads one
class Iteration {
public:
    /// @param ns_per_step  how long a midpoint step lasts at least [ns]; 0: as long as it takes
    explicit Iteration(double ns_per_step = 0.0) : s_per_step_(ns_per_step * 1e-9) {}

    /// @param steps  midpoint steps  @return pi by as many
    double operator()(std::int64_t steps) {
        if (s_per_step_ <= 0.0) return pi_by_midpoint(steps);
        double pi = 0.0;
        lasting_.run([&] {
            pi = pi_by_midpoint(steps);
            return static_cast<double>(steps) * s_per_step_;
        });
        return pi;
    }

private:
    double s_per_step_;
    apps::Lasting lasting_;
};

}  // namespace pisolver
