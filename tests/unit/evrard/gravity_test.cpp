// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gravity.hpp"
#include "sphere.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace evrard {
namespace {

TEST(Gravity, IsOneEverywhereInsideTheInitialSphere) {
    // M(<r) = r^2, so |g| = 1. Means over shells: the softened force at 10^4 particles, by direct summation.
    const test::Sphere sphere(10000);
    const Particles& p = sphere.particles;
    std::array<double, 14> sum{};
    std::array<int, 14> count{};
    for (std::size_t i = 0; i < p.size(); i += 5) {
        const double r = norm(p.position[i]);
        if (r < 0.2 || r >= 0.9) continue;
        const Vec3 g = gravity_on_direct(sphere.tree, p.position[i], p.h[i]).acceleration;
        const auto shell = static_cast<std::size_t>((r - 0.2) / 0.05);
        sum[shell] -= dot(g, p.position[i]) / r;
        ++count[shell];
    }
    for (std::size_t shell = 0; shell < sum.size(); ++shell) {
        ASSERT_GT(count[shell], 10);
        EXPECT_NEAR(sum[shell] / count[shell], 1.0, 0.02)
            << "shell from r = " << 0.2 + 0.05 * static_cast<double>(shell);
    }
}

TEST(Gravity, TreeAgreesWithDirectSummation) {
    const test::Sphere sphere(4000);
    const Particles& p = sphere.particles;
    std::vector<std::uint32_t> scratch;
    double squares = 0.0;
    double potential_squares = 0.0;
    int count = 0;
    for (std::size_t i = 0; i < p.size(); i += 3, ++count) {
        const auto tree = gravity_on(sphere.tree, p.position[i], p.h[i], scratch);
        const auto direct = gravity_on_direct(sphere.tree, p.position[i], p.h[i]);
        const double error = norm(tree.acceleration - direct.acceleration) / norm(direct.acceleration);
        squares += error * error;
        potential_squares += std::pow(tree.potential / direct.potential - 1.0, 2);
        // Softened pairs are never far cells: this part has no tree error at all.
        EXPECT_NEAR(tree.h_derivative / direct.h_derivative, 1.0, 1e-9);
        EXPECT_LT(tree.interactions, direct.interactions);
    }
    EXPECT_LE(std::sqrt(squares / count), 5e-3);
    EXPECT_LE(std::sqrt(potential_squares / count), 1e-3);
}

TEST(Gravity, ErrorFallsWithTheOpeningAngle) {
    test::Sphere sphere(3000);
    const Particles& p = sphere.particles;
    std::vector<std::uint32_t> scratch;
    double last = 1.0;
    for (const double theta : {0.9, 0.6, 0.3}) {
        sphere.tree.build(p.position, p.mass, theta);
        sphere.tree.set_smoothing_lengths(p.h);
        double squares = 0.0;
        for (std::size_t i = 0; i < p.size(); i += 10) {
            const Vec3 direct = gravity_on_direct(sphere.tree, p.position[i], p.h[i]).acceleration;
            const Vec3 error = gravity_on(sphere.tree, p.position[i], p.h[i], scratch).acceleration - direct;
            squares += dot(error, error) / dot(direct, direct);
        }
        EXPECT_LT(squares, 0.5 * last) << "theta = " << theta;
        last = squares;
    }
}

/// Two particles of mass 1 at a distance, h = 1 each.
GravityResult pair_gravity(double distance, double h) {
    const std::vector<Vec3> points{{0.0, 0.0, 0.0}, {distance, 0.0, 0.0}};
    Octree tree;
    tree.build(points, 1.0, 0.5);
    tree.set_smoothing_lengths({h, 1.0});
    return gravity_on_direct(tree, points[0], h);
}

TEST(Gravity, ForceIsTheSlopeOfThePotentialInsideAndOutsideTheSoftening) {
    constexpr double kStep = 1e-5;
    for (const double r : {0.05, 0.3, 0.7, 0.99, 1.01, 1.5, 4.0}) {
        const double slope =
            (pair_gravity(r + kStep, 1.0).potential - pair_gravity(r - kStep, 1.0).potential) / (2.0 * kStep);
        EXPECT_NEAR(pair_gravity(r, 1.0).acceleration.x, slope, 1e-7) << "r = " << r;
    }
    EXPECT_NEAR(pair_gravity(2.0, 1.0).potential, -0.5, 1e-14);
    EXPECT_NEAR(pair_gravity(2.0, 1.0).acceleration.x, 0.25, 1e-14);
}

TEST(Gravity, DerivativeByHIsThatOfThePairsEnergy) {
    constexpr double kStep = 1e-5;
    for (const double r : {0.05, 0.3, 0.7, 0.95, 1.5}) {
        // Masses are 1: the pair's energy is the potential.
        const double slope =
            (pair_gravity(r, 1.0 + kStep).potential - pair_gravity(r, 1.0 - kStep).potential) / (2.0 * kStep);
        EXPECT_NEAR(pair_gravity(r, 1.0).h_derivative, slope, 1e-8) << "r = " << r;
    }
}

TEST(Gravity, EnergyOfTheInitialSphereIsMinusTwoThirds) {
    const test::Sphere sphere(10000);
    const Particles& p = sphere.particles;
    std::vector<std::uint32_t> scratch;
    double energy = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i)
        energy += 0.5 * p.mass * gravity_on(sphere.tree, p.position[i], p.h[i], scratch).potential;
    EXPECT_NEAR(energy, -2.0 / 3.0, 0.01);
}

}  // namespace
}  // namespace evrard
