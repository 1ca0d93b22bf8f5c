// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"
#include "pi.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace pisolver {

/// One iteration of the loop. It can be made to last longer than it computes, by sleeping: then ranks that share cores
/// behave as if each had its own, as long as those are not busy all the time.
/// @threads one
class Iteration {
public:
    /// @param ns_per_step  how long a midpoint step lasts at least [ns]; 0: as long as it takes
    explicit Iteration(double ns_per_step = 0.0) : s_per_step_(ns_per_step * 1e-9) {}

    /// @param steps  midpoint steps  @return pi by as many
    double operator()(std::int64_t steps) {
        if (s_per_step_ <= 0.0) return pi_by_midpoint(steps);
        // Nobody wakes up in time: the next iteration has to be that much shorter, so that sums are right.
        const double end_s = apps::wall_s() - late_s_ + static_cast<double>(steps) * s_per_step_;
        const double pi = pi_by_midpoint(steps);
        const double rest_s = end_s - apps::wall_s();
        if (rest_s > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(rest_s));
        late_s_ = std::max(apps::wall_s() - end_s, 0.0);
        return pi;
    }

private:
    double s_per_step_;
    double late_s_ = 0.0;  // how much longer the last one took than it should have
};

}  // namespace pisolver
