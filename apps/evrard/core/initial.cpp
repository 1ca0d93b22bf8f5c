// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "initial.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace evrard {

namespace {

constexpr std::size_t kGlassPoints = 512;
const Vec3 kCentre{0.37, 0.52, 0.61};  // anywhere in the tile, but not at a symmetric place

/// The tiled glass inside and a little beyond the sphere that holds `count` points, tile by tile, in units of the tile.
std::vector<Vec3> tile_glass(std::size_t count, std::uint64_t seed) {
    const std::vector<Vec3> glass = make_glass(kGlassPoints, seed);
    const double sphere = std::cbrt(static_cast<double>(count) * 3.0 / (4.0 * std::numbers::pi * kGlassPoints));
    const double radius = 1.1 * sphere + 0.2;  // the glass is even, but the count inside a sphere is not exact
    const int tiles = static_cast<int>(std::ceil(radius)) + 1;
    std::vector<Vec3> points;
    for (int i = -tiles; i <= tiles; ++i)
        for (int j = -tiles; j <= tiles; ++j)
            for (int k = -tiles; k <= tiles; ++k)
                for (const Vec3& p : glass) {
                    const Vec3 d = Vec3{i + p.x, j + p.y, k + p.z} - kCentre;
                    if (dot(d, d) < radius * radius) points.push_back(d);
                }
    return points;
}

/// Keep the `count` points nearest to the centre, in their old order, and scale them to the unit sphere.
std::vector<Vec3> cut_sphere(const std::vector<Vec3>& points, std::size_t count) {
    std::vector<std::size_t> by_distance(points.size());
    std::iota(by_distance.begin(), by_distance.end(), std::size_t{0});
    const auto r2 = [&points](std::size_t i) { return dot(points[i], points[i]); };
    std::stable_sort(by_distance.begin(), by_distance.end(),
                     [&r2](std::size_t a, std::size_t b) { return r2(a) < r2(b); });
    // The surface lies between the last point in and the first one out.
    const double edge = 0.5 * (std::sqrt(r2(by_distance[count - 1])) + std::sqrt(r2(by_distance[count])));
    by_distance.resize(count);
    std::sort(by_distance.begin(), by_distance.end());
    std::vector<Vec3> sphere;
    sphere.reserve(count);
    for (const std::size_t i : by_distance) sphere.push_back((1.0 / edge) * points[i]);
    return sphere;
}

}  // namespace

Particles make_initial_sphere(const Config& config) {
    const std::size_t n = config.particles;
    const std::vector<Vec3> sphere = cut_sphere(tile_glass(n, config.seed), n);
    Particles particles(n);
    particles.mass = 1.0 / static_cast<double>(n);
    const double mean_density = static_cast<double>(n) / (4.0 * std::numbers::pi / 3.0);
    for (std::size_t i = 0; i < n; ++i) {
        particles.position[i] = std::sqrt(norm(sphere[i])) * sphere[i];
        particles.energy[i] = config.initial_energy;
        const double number_density = (2.0 / 3.0) * mean_density / std::max(norm(particles.position[i]), 1e-3);
        particles.h[i] = 0.5 * std::cbrt(3.0 * config.neighbours / (4.0 * std::numbers::pi * number_density));
    }
    return particles;
}

}  // namespace evrard
