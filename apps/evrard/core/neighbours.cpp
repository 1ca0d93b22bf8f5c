// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "neighbours.hpp"

#include "kernel.hpp"

#include <algorithm>

namespace evrard {

namespace {

double squared_distance(const Box& box, const Vec3& p) {
    const double dx = std::max({box.low.x - p.x, 0.0, p.x - box.high.x});
    const double dy = std::max({box.low.y - p.y, 0.0, p.y - box.high.y});
    const double dz = std::max({box.low.z - p.z, 0.0, p.z - box.high.z});
    return dx * dx + dy * dy + dz * dz;
}

/// Call visit(slot, r^2) for the particles of all leaves whose box lies nearer than reach(box).
template <class Reach, class Visit>
void walk_near(const Octree& tree, const Vec3& at, const Reach& reach, const Visit& visit) {
    const std::vector<Cell>& cells = tree.cells();
    for (std::size_t c = 0; c < cells.size();) {
        const Box& box = tree.boxes()[c];
        const double radius = reach(box);
        if (squared_distance(box, at) >= radius * radius) {
            c = cells[c].skip;
            continue;
        }
        if (cells[c].leaf) {
            const std::size_t end = cells[c].first + cells[c].count;
            for (std::size_t s = cells[c].first; s < end; ++s) {
                const Vec3 d{tree.x()[s] - at.x, tree.y()[s] - at.y, tree.z()[s] - at.z};
                visit(s, dot(d, d));
            }
        }
        ++c;  // a leaf's next cell is also its skip
    }
}

}  // namespace

void collect_distances(const Octree& tree, const Vec3& at, double radius, std::vector<double>& r2) {
    r2.clear();
    walk_near(
        tree, at, [radius](const Box&) { return radius; },
        [&r2, radius](std::size_t, double d2) {
            if (d2 < radius * radius) r2.push_back(d2);
        });
}

void collect_neighbours(const Octree& tree, std::uint32_t self, const Vec3& at, double h,
                        std::vector<std::uint32_t>& found) {
    found.clear();
    walk_near(
        tree, at, [h](const Box& box) { return kSupport * std::max(h, box.largest_h); },
        [&tree, &found, self, h](std::size_t slot, double d2) {
            const double radius = kSupport * std::max(h, tree.h()[slot]);
            if (d2 < radius * radius && tree.index()[slot] != self) found.push_back(tree.index()[slot]);
        });
}

}  // namespace evrard
