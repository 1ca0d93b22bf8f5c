// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "density.hpp"

#include "kernel.hpp"

#include <algorithm>

namespace evrard {

namespace {

double squared_distance(const Box& box, const Vec3& p) {
    const double dx = std::max(std::max(box.low.x - p.x, p.x - box.high.x), 0.0);
    const double dy = std::max(std::max(box.low.y - p.y, p.y - box.high.y), 0.0);
    const double dz = std::max(std::max(box.low.z - p.z, p.z - box.high.z), 0.0);
    return dx * dx + dy * dy + dz * dz;
}

/// Call visit(cell) for every leaf whose box lies nearer than radius(box).
template <class Radius, class Visit>
void walk_near(const Octree& tree, const Vec3& at, const Radius& radius, const Visit& visit) {
    const std::vector<Cell>& cells = tree.cells();
    for (std::size_t c = 0; c < cells.size();) {
        const Box& box = tree.boxes()[c];
        const double r = radius(box);
        if (squared_distance(box, at) >= r * r) {
            c = cells[c].skip;
            continue;
        }
        if (cells[c].leaf) visit(cells[c]);
        ++c;  // after a leaf this is also its skip
    }
}

double squared_distance(const Octree& tree, std::size_t slot, const Vec3& p) {
    const double dx = tree.x()[slot] - p.x;
    const double dy = tree.y()[slot] - p.y;
    const double dz = tree.z()[slot] - p.z;
    return dx * dx + dy * dy + dz * dz;
}

/// Append without a branch that the processor could guess wrong: every candidate is written, the length grows by the
/// hits only.
template <class T>
class Appender {
public:
    explicit Appender(std::vector<T>& out) : out_(out) {}
    ~Appender() { out_.resize(used_); }
    Appender(const Appender&) = delete;
    Appender& operator=(const Appender&) = delete;

    /// Make room for `more` candidates.
    void reserve(std::size_t more) {
        if (out_.size() < used_ + more) out_.resize(2 * (used_ + more));
    }
    void add_if(bool hit, const T& value) {
        out_[used_] = value;
        used_ += hit ? 1 : 0;
    }

private:
    std::vector<T>& out_;
    std::size_t used_ = 0;
};

}  // namespace

void collect_distances(const Octree& tree, const Vec3& at, double radius, std::vector<double>& r2) {
    Appender<double> append(r2);
    const double radius2 = radius * radius;
    walk_near(
        tree, at, [radius](const Box&) { return radius; },
        [&](const Cell& leaf) {
            append.reserve(leaf.count);
            for (std::size_t s = leaf.first; s < leaf.first + leaf.count; ++s) {
                const double d2 = squared_distance(tree, s, at);
                append.add_if(d2 < radius2, d2);
            }
        });
}

void collect_neighbours(const Octree& tree, std::uint32_t self, const Vec3& at, double h,
                        std::vector<std::uint32_t>& found) {
    Appender<std::uint32_t> append(found);
    walk_near(
        tree, at, [h](const Box& box) { return kSupport * std::max(h, box.largest_h); },
        [&](const Cell& leaf) {
            append.reserve(leaf.count);
            for (std::size_t s = leaf.first; s < leaf.first + leaf.count; ++s) {
                const double radius = kSupport * std::max(h, tree.h()[s]);
                const std::uint32_t index = tree.index()[s];
                append.add_if((squared_distance(tree, s, at) < radius * radius) & (index != self), index);
            }
        });
}

}  // namespace evrard
