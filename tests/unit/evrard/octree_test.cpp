// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sphere.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace evrard {
namespace {

TEST(Octree, HoldsEveryParticleOnceInItsLeaves) {
    const test::Sphere sphere(700);
    std::vector<int> seen(700, 0);
    for (const Cell& cell : sphere.tree.cells()) {
        if (!cell.leaf) continue;
        EXPECT_GE(cell.count, 1u);
        EXPECT_LE(cell.count, Octree::kLeafSize);
        for (std::uint32_t s = cell.first; s < cell.first + cell.count; ++s) ++seen[sphere.tree.index()[s]];
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

TEST(Octree, ChildrenShareOutTheirParent) {
    const test::Sphere sphere(700);
    const auto& cells = sphere.tree.cells();
    for (std::size_t c = 0; c < cells.size(); ++c) {
        if (cells[c].leaf) continue;
        std::uint32_t next = cells[c].first;
        double mass = 0.0;
        Vec3 moment;
        for (std::size_t child = c + 1; child < cells[c].skip; child = cells[child].skip) {
            EXPECT_EQ(cells[child].first, next);
            next += cells[child].count;
            mass += sphere.tree.multipoles()[child].mass;
            moment = moment + sphere.tree.multipoles()[child].mass * cells[child].centre_of_mass;
        }
        EXPECT_EQ(next, cells[c].first + cells[c].count);
        EXPECT_NEAR(mass, sphere.tree.multipoles()[c].mass, 1e-14);
        EXPECT_NEAR(norm((1.0 / mass) * moment - cells[c].centre_of_mass), 0.0, 1e-14);
    }
}

TEST(Octree, RootHoldsTheWholeMassAndATracelessQuadrupole) {
    const test::Sphere sphere(700);
    const Multipole& root = sphere.tree.multipoles().front();
    EXPECT_NEAR(root.mass, 1.0, 1e-13);
    EXPECT_NEAR(root.quadrupole.xx + root.quadrupole.yy + root.quadrupole.zz, 0.0, 1e-13);
    EXPECT_EQ(sphere.tree.cells().front().skip, sphere.tree.cells().size());
}

TEST(Octree, BoxesAndReachCoverTheirParticles) {
    const test::Sphere sphere(700);
    const auto& tree = sphere.tree;
    for (std::size_t c = 0; c < tree.cells().size(); ++c) {
        const Cell& cell = tree.cells()[c];
        const Box& box = tree.boxes()[c];
        for (std::uint32_t s = cell.first; s < cell.first + cell.count; ++s) {
            const Vec3 p{tree.x()[s], tree.y()[s], tree.z()[s]};
            EXPECT_TRUE(box.low.x <= p.x && p.x <= box.high.x && box.low.y <= p.y && p.y <= box.high.y &&
                        box.low.z <= p.z && p.z <= box.high.z);
            EXPECT_LE(tree.h()[s], box.largest_h);
            EXPECT_LE(norm(p - cell.centre_of_mass) + 0.5 * tree.h()[s], cell.reach * (1.0 + 1e-12));
        }
    }
}

TEST(Octree, KeepsParticlesThatCoincideInOneLeaf) {
    std::vector<Vec3> points(40, Vec3{0.25, 0.5, 0.75});
    points.push_back({1.0, 1.0, 1.0});
    Octree tree;
    tree.build(points, 1.0, 0.5);
    std::uint32_t inside = 0;
    for (const Cell& cell : tree.cells()) inside += cell.leaf ? cell.count : 0;
    EXPECT_EQ(inside, 41u);
}

}  // namespace
}  // namespace evrard
