// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace restore {

/// Samples of 8 bits on a grid: a grey image, or one colour of an image, or one value per pixel of any other meaning.
struct Plane {
    std::int64_t width = 0;             ///< [pixels]
    std::int64_t height = 0;            ///< [pixels]
    std::vector<std::uint8_t> samples;  ///< [height * width], row by row

    Plane() = default;
    Plane(std::int64_t wide, std::int64_t high, std::uint8_t value = 0)
        : width(wide), height(high), samples(static_cast<std::size_t>(wide * high), value) {}

    std::uint8_t* row(std::int64_t y) { return samples.data() + y * width; }
    const std::uint8_t* row(std::int64_t y) const { return samples.data() + y * width; }
    bool operator==(const Plane&) const = default;
};

/// A grey image (one plane) or a colour image (red, green, blue). All planes have the same size.
struct Image {
    std::vector<Plane> planes;

    std::int64_t width() const { return planes.empty() ? 0 : planes.front().width; }
    std::int64_t height() const { return planes.empty() ? 0 : planes.front().height; }
    bool operator==(const Image&) const = default;
};

/// Sum over samples of a mix of (place, value), modulo 2^64: images that differ anywhere differ in it.
inline std::uint64_t checksum(const Image& image) {
    std::uint64_t sum = apps::mix(static_cast<std::uint64_t>(image.width()));
    std::uint64_t place = 0;
    for (const Plane& plane : image.planes) {
        for (const std::uint8_t sample : plane.samples) sum += apps::mix(apps::mix(++place) ^ sample);
    }
    return sum;
}

}  // namespace restore
