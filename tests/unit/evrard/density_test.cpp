// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.hpp"
#include "sphere.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace evrard {
namespace {

double direct_density(const Particles& p, std::size_t i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < p.size(); ++j) {
        const Vec3 d = p.position[j] - p.position[i];
        sum += p.mass * kernel(dot(d, d), p.h[i]);
    }
    return sum;
}

TEST(Density, IsTheKernelSumAndMeetsTheNeighbourConstraint) {
    const test::Sphere sphere(800);
    const Particles& p = sphere.particles;
    for (std::size_t i = 0; i < p.size(); i += 13) {
        const double sum = direct_density(p, i);
        EXPECT_NEAR(p.density[i] / sum, 1.0, 1e-6) << "particle " << i;
        const double count = 4.0 * std::numbers::pi / 3.0 * std::pow(2.0 * p.h[i], 3) * sum / p.mass;
        EXPECT_NEAR(count / sphere.config.neighbours, 1.0, 1e-6) << "particle " << i;
    }
}

TEST(Density, DoesNotDependOnTheGuess) {
    const test::Sphere sphere(800);
    const Particles& p = sphere.particles;
    std::vector<double> scratch;
    for (const double factor : {0.01, 0.5, 2.0, 20.0}) {
        for (std::size_t i = 0; i < p.size(); i += 97) {
            const auto found = density_of(sphere.tree, p.position[i], factor * p.h[i], 100.0, scratch);
            EXPECT_NEAR(found.h / p.h[i], 1.0, 1e-6) << "guess " << factor << " particle " << i;
        }
    }
}

TEST(Density, FollowsOneOverRadiusInTheInitialSphere) {
    const test::Sphere sphere(5000);
    const Particles& p = sphere.particles;
    double ratio = 0.0;
    int count = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double r = norm(p.position[i]);
        if (r < 0.15 || r > 0.8) continue;
        const double here = p.density[i] * 2.0 * std::numbers::pi * r;
        EXPECT_NEAR(here, 1.0, 0.1) << "r = " << r;
        ratio += here;
        ++count;
    }
    EXPECT_NEAR(ratio / count, 1.0, 0.01);
}

}  // namespace
}  // namespace evrard
