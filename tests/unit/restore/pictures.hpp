// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "image.hpp"

#include <cmath>

namespace restore {

/// A smooth picture with an edge, without black and white.
inline Plane smooth_plane(std::int64_t width, std::int64_t height, int colour = 0) {
    Plane plane(width, height);
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const double wave =
                50 * std::sin(0.15 * static_cast<double>(x + colour)) * std::cos(0.1 * static_cast<double>(y));
            plane.row(y)[x] = static_cast<std::uint8_t>(120 + wave + (x + y > width ? 40 : 0));
        }
    }
    return plane;
}

inline Image smooth_image(std::int64_t width, std::int64_t height, int planes = 1) {
    Image image;
    for (int plane = 0; plane < planes; ++plane) image.planes.push_back(smooth_plane(width, height, 7 * plane));
    return image;
}

}  // namespace restore
