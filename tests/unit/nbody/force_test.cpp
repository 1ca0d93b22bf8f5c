// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace nbody {
namespace {

constexpr double kCutoff = 0.06;

TEST(Attraction, ForceIsTheSlopeOfThePotential) {
    for (double r = 0.001; r < kCutoff - 1e-5; r += 0.0007) {
        constexpr double h = 1e-6;
        const double slope =
            (attraction((r + h) * (r + h), kCutoff).potential - attraction((r - h) * (r - h), kCutoff).potential) /
            (2 * h);
        EXPECT_NEAR(attraction(r * r, kCutoff).force * r, slope, 1e-5 * std::abs(slope) + 1e-3) << "r = " << r;
    }
}

TEST(Attraction, IsSoftenedGravityNearbyAndNothingAtTheCutoff) {
    const double r = 0.4 * kCutoff;
    const double s = std::hypot(r, kSoftening);
    EXPECT_NEAR(attraction(r * r, kCutoff).potential, -1.0 / s, 1e-12 / s);
    EXPECT_NEAR(attraction(r * r, kCutoff).force, 1.0 / (s * s * s), 1e-12 / (s * s * s));
    const Attraction end = attraction(kCutoff * kCutoff, kCutoff);
    EXPECT_NEAR(end.potential, 0.0, 1e-12);
    EXPECT_NEAR(end.force, 0.0, 1e-9);
    // No step where it starts to fade.
    const double begin = 0.5 * kCutoff;
    EXPECT_NEAR(attraction(begin * begin * (1 - 1e-9), kCutoff).force,
                attraction(begin * begin * (1 + 1e-9), kCutoff).force, 1e-3);
}

/// The same sum over all pairs, without cells.
Force brute_force(std::size_t i, const std::vector<Vec3>& positions, double mass, double cutoff) {
    Force sum;
    for (std::size_t j = 0; j < positions.size(); ++j) {
        const Vec3 there = positions[j] - positions[i];
        const double distance2 = dot(there, there);
        if (j == i || distance2 >= cutoff * cutoff) continue;
        const Attraction pair = attraction(distance2, cutoff);
        sum.acceleration = sum.acceleration + (mass * pair.force) * there;
        sum.potential += mass * pair.potential;
        ++sum.interactions;
    }
    return sum;
}

void expect_same_as_brute_force(const std::vector<Vec3>& positions, double cutoff) {
    const Cells cells(positions, cutoff);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Force found = force_on(static_cast<std::uint32_t>(i), positions[i], cells, 0.01, cutoff);
        const Force expected = brute_force(i, positions, 0.01, cutoff);
        ASSERT_EQ(found.interactions, expected.interactions) << "body " << i << " cutoff " << cutoff;
        EXPECT_NEAR(found.potential, expected.potential, 1e-12 * std::abs(expected.potential) + 1e-15);
        const Vec3 difference = found.acceleration - expected.acceleration;
        EXPECT_LT(std::sqrt(dot(difference, difference)), 1e-10 * (1.0 + std::abs(expected.potential) / kSoftening));
    }
}

TEST(Force, FindsExactlyTheBodiesWithinTheCutoff) {
    const Bodies bodies = make_clusters(600, 5, 4);
    for (const double cutoff : {0.001, 0.02, 0.06, 0.5, 2.0}) expect_same_as_brute_force(bodies.position, cutoff);
}

TEST(Force, FindsThemOnEdgesOfCellsAndFarAway) {
    // A lattice whose spacing is the cutoff, to rounding; bodies on one spot; and one that has flown off.
    std::vector<Vec3> positions;
    for (int x = 0; x < 6; ++x) {
        for (int y = 0; y < 6; ++y) positions.push_back({0.1 * x, 0.1 * y, 0.0});
    }
    positions.insert(positions.end(), 3, Vec3{0.25, 0.25, 0.0});
    expect_same_as_brute_force(positions, 0.1);
    expect_same_as_brute_force(positions, std::nextafter(0.1, 1.0));
    positions.push_back({1e6, -1e6, 0.0});
    expect_same_as_brute_force(positions, 0.1);
    expect_same_as_brute_force({{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}}, 0.1);
}

}  // namespace
}  // namespace nbody
