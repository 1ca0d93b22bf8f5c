// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "initial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace evrard {
namespace {

TEST(Initial, HasExactlyTheParticlesAskedForInsideTheUnitSphere) {
    for (const std::size_t count : {200u, 777u, 5000u}) {
        Config config;
        config.particles = count;
        const Particles p = make_initial_sphere(config);
        EXPECT_EQ(p.size(), count);
        EXPECT_NEAR(p.mass * static_cast<double>(count), 1.0, 1e-12);
        double largest = 0.0;
        for (const Vec3& x : p.position) largest = std::max(largest, norm(x));
        EXPECT_LE(largest, 1.0);
        EXPECT_GT(largest, 0.97);
    }
}

TEST(Initial, EnclosedMassIsRadiusSquared) {
    Config config;
    const Particles p = make_initial_sphere(config);
    for (double radius = 0.2; radius <= 1.0; radius += 0.1) {
        const auto inside =
            std::count_if(p.position.begin(), p.position.end(), [radius](const Vec3& x) { return norm(x) <= radius; });
        EXPECT_NEAR(static_cast<double>(inside) * p.mass / (radius * radius), 1.0, 0.02) << "r = " << radius;
    }
}

TEST(Initial, SeedDecidesThePositions) {
    Config config;
    config.particles = 300;
    const std::uint64_t first = checksum(make_initial_sphere(config));
    EXPECT_EQ(checksum(make_initial_sphere(config)), first);
    config.seed = 2;
    EXPECT_NE(checksum(make_initial_sphere(config)), first);
}

TEST(Glass, KeepsItsPointsApart) {
    const auto points = make_glass(256, 5);
    const double spacing = 1.0 / std::cbrt(256.0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        double nearest2 = 1.0;
        for (std::size_t j = 0; j < points.size(); ++j) {
            if (j == i) continue;
            Vec3 d = points[i] - points[j];
            d = {d.x - std::round(d.x), d.y - std::round(d.y), d.z - std::round(d.z)};
            nearest2 = std::min(nearest2, dot(d, d));
        }
        // Random points come as near as 0.1 spacings; a face-centred lattice keeps 1.12.
        EXPECT_GT(std::sqrt(nearest2) / spacing, 0.7) << "point " << i;
    }
}

}  // namespace
}  // namespace evrard
