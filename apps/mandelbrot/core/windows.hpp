// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Where in the plane each loop looks. A window that is symmetric about the real axis has equal halves and hides its
/// imbalance from two workers, so all of them lie above it.
namespace mandelbrot {

/// A square part of the complex plane.
struct Window {
    double centre_re = 0.0;
    double centre_im = 0.0;
    double half_width = 0.0;
};

/// L1: the same window, and the same imbalance, in every step.
Window constant_window();

/// L2: moves up, from low imbalance to high. @param step  in [0, steps)   @param steps  >= 1
Window rising_window(std::int64_t step, std::int64_t steps);

/// L3: the windows of L2 in reverse, bit for bit, so that both do the same work over a run.
Window falling_window(std::int64_t step, std::int64_t steps);

}  // namespace mandelbrot
