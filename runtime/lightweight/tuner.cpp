// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/tuner.hpp"

#include <cmath>
#include <limits>

namespace gimbal {

double FractionTrial::cost() const noexcept {
    const double cost = loop_time / static_cast<double>(iterations) * workers;
    const bool shows_something = iterations > 0 && workers > 0 && std::isfinite(cost) && cost >= 0;
    return shows_something ? cost : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace gimbal
