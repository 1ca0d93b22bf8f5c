// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "windows.hpp"

namespace mandelbrot {

Window constant_window() {
    return {0.0, 0.75, 0.75};
}

Window rising_window(std::int64_t step, std::int64_t steps) {
    // Low: nearly all pixels are inside the set and cost the same. High: the lower half is, the upper half is not.
    constexpr double kLow = 0.125;
    constexpr double kHigh = 0.75;
    constexpr double kHalfWidth = 0.5;
    const double share = steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 1.0;
    return {0.0, kLow + share * (kHigh - kLow), kHalfWidth};
}

Window falling_window(std::int64_t step, std::int64_t steps) {
    return rising_window(steps - 1 - step, steps);
}

}  // namespace mandelbrot
