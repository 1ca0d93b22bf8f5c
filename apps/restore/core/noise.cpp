// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "noise.hpp"

#include "common/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace restore {

using apps::mix;

namespace {

constexpr std::int64_t kPatches = 4;      ///< along each side
constexpr double kQuietPatch = 1.0 / 20;  ///< noise of a quiet patch over that of the others

double unit_interval(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// How much of the noise a pixel's patch gets.
double strength(const Noise& noise, std::uint64_t stream, std::int64_t x, std::int64_t y, const Plane& plane) {
    if (!noise.patchy) return 1;
    const std::int64_t patch = y * kPatches / plane.height * kPatches + x * kPatches / plane.width;
    return mix(stream ^ mix(static_cast<std::uint64_t>(patch))) % 2 == 0 ? 1 : kQuietPatch;
}

std::uint8_t salt_and_pepper(std::uint8_t clean, double share, std::uint64_t draw) {
    if (unit_interval(draw) >= share) return clean;
    return mix(draw) % 2 == 0 ? 0 : 255;
}

std::uint8_t gaussian(std::uint8_t clean, double deviation, std::uint64_t draw) {
    const double radius = std::sqrt(-2 * std::log(1 - unit_interval(draw)));
    const double value = clean + deviation * radius * std::cos(2 * std::numbers::pi * unit_interval(mix(draw)));
    return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

}  // namespace

Image with_noise(const Image& clean, const Noise& noise, std::uint64_t frame) {
    Image noisy = clean;
    const std::uint64_t patches = mix(noise.seed + mix(frame));
    for (std::size_t channel = 0; channel < noisy.planes.size(); ++channel) {
        Plane& plane = noisy.planes[channel];
        const std::uint64_t stream = mix(patches + channel);
        for (std::int64_t y = 0; y < plane.height; ++y) {
            for (std::int64_t x = 0; x < plane.width; ++x) {
                const std::uint64_t draw = mix(stream + mix(static_cast<std::uint64_t>(y * plane.width + x)));
                const double part = strength(noise, patches, x, y, plane);
                std::uint8_t& sample = plane.row(y)[x];
                sample = noise.kind == NoiseKind::gaussian ? gaussian(sample, std::sqrt(noise.amount * part), draw)
                                                           : salt_and_pepper(sample, noise.amount / 100 * part, draw);
            }
        }
    }
    return noisy;
}

}  // namespace restore
