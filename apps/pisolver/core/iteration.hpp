// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"
#include "pi.hpp"

#include <cstdint>

namespace pisolver {

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
