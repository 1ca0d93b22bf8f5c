// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nbody {
namespace {

TEST(Random, IsSplitMix64) {
    // The generator's published start from state 0, here of 53 bits: 0xe220a8397b1dcdaf and 0x6e789e6aa1b965f4.
    Random random(0);
    EXPECT_EQ(random.uniform(), static_cast<double>(0xe220a8397b1dcdafU >> 11) / 9007199254740992.0);
    EXPECT_EQ(random.uniform(), static_cast<double>(0x6e789e6aa1b965f4U >> 11) / 9007199254740992.0);
}

TEST(Random, HasTheMomentsOfItsDistributions) {
    constexpr int kDraws = 100000;
    Random random(3);
    double sum = 0.0;
    double squares = 0.0;
    Vec3 direction;
    for (int i = 0; i < kDraws; ++i) {
        const double x = random.normal();
        sum += x;
        squares += x * x;
        const Vec3 unit = nbody::direction(random);
        ASSERT_NEAR(dot(unit, unit), 1.0, 1e-14);
        direction = direction + (1.0 / kDraws) * unit;
    }
    EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
    EXPECT_NEAR(squares / kDraws, 1.0, 0.03);
    EXPECT_LT(dot(direction, direction), 1e-4);
}

TEST(Clusters, HoldTheBodiesAskedForAndStandStill) {
    for (const std::size_t count : {2U, 3U, 100U, 1001U}) {
        for (const int clusters : {1, 2, 7, 1000}) {
            const Bodies bodies = make_clusters(count, clusters, 1);
            EXPECT_EQ(bodies.size(), count) << clusters;
            EXPECT_EQ(bodies.velocity.size(), count);
            const Vec3 momentum = energies(bodies).momentum;
            EXPECT_LT(std::sqrt(dot(momentum, momentum)), 1e-14);
        }
    }
    EXPECT_EQ(make_clusters(100, 3, 1), make_clusters(100, 3, 1));
    EXPECT_NE(make_clusters(100, 3, 1), make_clusters(100, 3, 2));
}

/// Half the mass of Plummer's sphere lies within 1.305 scale lengths; the tail beyond 5 of them, which is cut,
/// holds 5.7 %.
TEST(Clusters, HavePlummersHalfMassRadiusAndAreSortedByRadius) {
    constexpr std::size_t kCount = 20000;
    const Bodies bodies = make_clusters(kCount, 1, 5);
    Vec3 centre;
    for (const Vec3& position : bodies.position) centre = centre + bodies.mass * position;
    const auto radius = [&](std::size_t i) {
        const Vec3 from = bodies.position[i] - centre;
        return std::sqrt(dot(from, from));
    };
    const double within = 0.5 * std::pow(26.0 / 25.0, -1.5);  // mass fraction of the middle body, before the cut
    const double expected = 0.03 / std::sqrt(std::pow(within, -2.0 / 3.0) - 1.0);
    EXPECT_NEAR(radius(kCount / 2), expected, 0.05 * expected);
    EXPECT_LT(radius(kCount / 10), radius(kCount / 2));
    EXPECT_LT(radius(kCount / 2), radius(kCount - 1));
}

TEST(Work, IsDescribedByItsDefinitions) {
    Bodies bodies = make_clusters(4, 1, 1);
    bodies.interactions = {6, 2, 2, 2};
    EXPECT_NEAR(work_cov(bodies), std::sqrt(3.0) / 3.0, 1e-15);
    EXPECT_NEAR(static_imbalance(bodies, 2), 100.0 / 3.0, 1e-12);
    EXPECT_NEAR(static_imbalance(bodies, 4), 100.0, 1e-12);
    EXPECT_EQ(static_imbalance(bodies, 1), 0.0);
}

TEST(Checksum, SeesTheLastBitAndWhoseItIs) {
    const Bodies bodies = make_clusters(10, 2, 1);
    Bodies other = bodies;
    other.velocity[4].z = std::nextafter(other.velocity[4].z, 10.0);
    EXPECT_NE(checksum(other), checksum(bodies));
    other = bodies;
    std::swap(other.position[1], other.position[2]);
    std::swap(other.velocity[1], other.velocity[2]);
    EXPECT_NE(checksum(other), checksum(bodies));
}

}  // namespace
}  // namespace nbody
