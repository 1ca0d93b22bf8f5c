// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "density.hpp"
#include "sphere.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace evrard {
namespace {

TEST(Neighbours, AreThoseThatBruteForceFinds) {
    const test::Sphere sphere(600);
    const Particles& p = sphere.particles;
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < p.size(); i += 7) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t j = 0; j < p.size(); ++j) {
            const Vec3 d = p.position[j] - p.position[i];
            const double radius = 2.0 * std::max(p.h[i], p.h[j]);
            if (j != i && dot(d, d) < radius * radius) expected.push_back(j);
        }
        collect_neighbours(sphere.tree, i, p.position[i], p.h[i], found);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected) << "particle " << i;
    }
}

TEST(Neighbours, AreMutual) {
    const test::Sphere sphere(400);
    const Particles& p = sphere.particles;
    std::vector<std::vector<std::uint32_t>> lists(p.size());
    for (std::uint32_t i = 0; i < p.size(); ++i) collect_neighbours(sphere.tree, i, p.position[i], p.h[i], lists[i]);
    for (std::uint32_t i = 0; i < p.size(); ++i)
        for (const std::uint32_t j : lists[i])
            EXPECT_NE(std::find(lists[j].begin(), lists[j].end(), i), lists[j].end()) << i << " and " << j;
}

TEST(Neighbours, DistancesIncludeTheParticleItselfAndAllWithinTheRadius) {
    const test::Sphere sphere(600);
    const Particles& p = sphere.particles;
    std::vector<double> r2;
    for (std::size_t i = 0; i < p.size(); i += 11) {
        constexpr double kRadius = 0.31;
        std::size_t expected = 0;
        for (std::size_t j = 0; j < p.size(); ++j) {
            const Vec3 d = p.position[j] - p.position[i];
            expected += dot(d, d) < kRadius * kRadius ? 1 : 0;
        }
        collect_distances(sphere.tree, p.position[i], kRadius, r2);
        EXPECT_EQ(r2.size(), expected);
        EXPECT_EQ(std::count(r2.begin(), r2.end(), 0.0), 1);
    }
}

}  // namespace
}  // namespace evrard
