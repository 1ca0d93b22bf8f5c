// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glass.hpp"

#include <cmath>
#include <random>

namespace evrard {

namespace {

constexpr int kSweeps = 200;
constexpr double kReach = 2.2;      // range of the repulsion in mean spacings: about 45 neighbours
constexpr double kFirstStep = 0.4;  // displacement per sweep, in spacings per unit force; shrinks to a tenth

/// @param d  difference of two coordinates in [0, 1)
double nearest_image(double d) {
    return d - (d > 0.5 ? 1.0 : 0.0) + (d < -0.5 ? 1.0 : 0.0);
}

/// Sum over all other points of a repulsion that falls linearly to zero at the reach.
Vec3 push(const std::vector<Vec3>& points, std::size_t i, double reach) {
    Vec3 sum;
    for (std::size_t j = 0; j < points.size(); ++j) {
        const Vec3 raw = points[i] - points[j];
        const Vec3 d{nearest_image(raw.x), nearest_image(raw.y), nearest_image(raw.z)};
        const double r2 = dot(d, d);
        if (r2 >= reach * reach || r2 == 0.0) continue;
        const double r = std::sqrt(r2);
        const double w = 1.0 - r / reach;
        sum = sum + (w * w / r) * d;
    }
    return sum;
}

}  // namespace

std::vector<Vec3> make_glass(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    // The standard distributions differ between libraries; the top 53 bits do not.
    const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    std::vector<Vec3> points(count);
    for (Vec3& p : points) {
        p.x = uniform();
        p.y = uniform();
        p.z = uniform();
    }
    const double spacing = 1.0 / std::cbrt(static_cast<double>(count));
    std::vector<Vec3> moved(count);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        const double step = kFirstStep * spacing * std::pow(0.1, static_cast<double>(sweep) / kSweeps);
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 to = points[i] + step * push(points, i, kReach * spacing);
            moved[i] = {to.x - std::floor(to.x), to.y - std::floor(to.y), to.z - std::floor(to.z)};
        }
        points.swap(moved);
    }
    return points;
}

}  // namespace evrard
