// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "image.hpp"
#include "noise.hpp"

#include <cstdint>

namespace restore {

/// What detection found in a plane.
struct Detection {
    Plane noisy;             ///< 1 where a pixel is noisy, else 0
    Plane filtered;          ///< what the median filter alone makes of the plane
    std::int64_t count = 0;  ///< noisy pixels
};

constexpr int kMinWindow = 3;
constexpr int kMaxWindow = 99;

/// The first phase. Salt and pepper: adaptive median filter; a pixel is noisy where the filter changes it and it is
/// black or white. Gaussian: every pixel that is off the median of its 3 x 3 window.
/// One loop over rows, `schedule(runtime)`: windows grow where noise is dense. At the border they
/// have fewer pixels: replicated ones would give a noisy corner the majority.
/// @param window  side of the largest window [pixels], odd, in [kMinWindow, kMaxWindow]
/// @errors std::bad_alloc   @threads forks a team   @cost O(pixels) without noise, O(pixels window^2) at most
/// @source Hwang, Haddad 1995; test: tests/unit/restore/detect_test.cpp
Detection detect(const Plane& plane, NoiseKind kind, int window);

}  // namespace restore
