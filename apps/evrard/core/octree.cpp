// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "octree.hpp"

#include "order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace evrard {

void Octree::build(const std::vector<Vec3>& position, double mass, double theta) {
    mass_ = mass;
    theta_ = theta;
    sort_particles(position);
    cells_.clear();
    multipoles_.clear();
    boxes_.clear();
    radius_.clear();
    add_cell(0, static_cast<std::uint32_t>(position.size()), 0);
}

void Octree::sort_particles(const std::vector<Vec3>& position) {
    const std::size_t n = position.size();
    const Cube cube = bounding_cube(position);
    corner_ = cube.corner;
    side_ = cube.side;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed(n);
    for (std::size_t i = 0; i < n; ++i) keyed[i] = {morton_key(position[i], cube), static_cast<std::uint32_t>(i)};
    std::sort(keyed.begin(), keyed.end());
    keys_.resize(n);
    index_.resize(n);
    x_.resize(n);
    y_.resize(n);
    z_.resize(n);
    h_.assign(n, 0.0);
    for (std::size_t s = 0; s < n; ++s) {
        keys_[s] = keyed[s].first;
        index_[s] = keyed[s].second;
        const Vec3& p = position[index_[s]];
        x_[s] = p.x;
        y_[s] = p.y;
        z_[s] = p.z;
    }
}

void Octree::add_cell(std::uint32_t first, std::uint32_t count, int level) {
    const std::size_t c = cells_.size();
    cells_.emplace_back();
    multipoles_.emplace_back();
    boxes_.emplace_back();
    radius_.push_back(0.0);
    cells_[c].first = first;
    cells_[c].count = count;
    cells_[c].leaf = count <= kLeafSize || level == kMortonBits;  // particles that coincide share one leaf
    if (!cells_[c].leaf) {
        const int shift = 3 * (kMortonBits - 1 - level);
        const auto begin = keys_.begin() + first;
        const auto end = begin + count;
        auto from = begin;
        while (from != end) {
            // All keys of one octant share the bits above `shift`.
            const std::uint64_t octant_end = ((*from >> shift) + 1) << shift;
            const auto to = std::lower_bound(from, end, octant_end);
            add_cell(static_cast<std::uint32_t>(from - keys_.begin()), static_cast<std::uint32_t>(to - from),
                     level + 1);
            from = to;
        }
    }
    cells_[c].skip = static_cast<std::uint32_t>(cells_.size());
    sum_cell(c);
    set_opening_distance(c, level);
}

/// Moments, box and radius straight from the particles: costs a pass per level, but rounds the same for every cell.
void Octree::sum_cell(std::size_t c) {
    Cell& cell = cells_[c];
    const std::size_t end = cell.first + cell.count;
    Vec3 sum;
    Box& box = boxes_[c];
    box.low = box.high = {x_[cell.first], y_[cell.first], z_[cell.first]};
    for (std::size_t s = cell.first; s < end; ++s) {
        sum = sum + Vec3{x_[s], y_[s], z_[s]};
        box.low = {std::min(box.low.x, x_[s]), std::min(box.low.y, y_[s]), std::min(box.low.z, z_[s])};
        box.high = {std::max(box.high.x, x_[s]), std::max(box.high.y, y_[s]), std::max(box.high.z, z_[s])};
    }
    cell.centre_of_mass = (1.0 / cell.count) * sum;
    Sym3 moment;
    double radius2 = 0.0;
    for (std::size_t s = cell.first; s < end; ++s) {
        const Vec3 d = Vec3{x_[s], y_[s], z_[s]} - cell.centre_of_mass;
        moment.add_outer(mass_, d);
        radius2 = std::max(radius2, dot(d, d));
    }
    const double trace = moment.xx + moment.yy + moment.zz;
    multipoles_[c].mass = mass_ * cell.count;
    multipoles_[c].quadrupole = {3.0 * moment.xx - trace, 3.0 * moment.xy, 3.0 * moment.xz,
                                 3.0 * moment.yy - trace, 3.0 * moment.yz, 3.0 * moment.zz - trace};
    radius_[c] = std::sqrt(radius2);
}

/// A cell of side l whose centre of mass lies s off its middle may be used from the distance l / theta + s on.
void Octree::set_opening_distance(std::size_t c, int level) {
    Cell& cell = cells_[c];
    const double side = std::ldexp(side_, -level);
    const auto middle = [side](double coordinate, double corner) {
        return corner + side * (std::floor((coordinate - corner) / side) + 0.5);
    };
    const Vec3 geometric{middle(x_[cell.first], corner_.x), middle(y_[cell.first], corner_.y),
                         middle(z_[cell.first], corner_.z)};
    const double open = side / theta_ + norm(cell.centre_of_mass - geometric);
    cell.open2 = open * open;
}

void Octree::set_smoothing_lengths(const std::vector<double>& h) {
    for (std::size_t s = 0; s < index_.size(); ++s) h_[s] = h[index_[s]];
    for (std::size_t c = cells_.size(); c-- > 0;) {
        const Cell& cell = cells_[c];
        double largest = 0.0;
        if (cell.leaf) {
            for (std::size_t s = cell.first; s < cell.first + cell.count; ++s) largest = std::max(largest, h_[s]);
        } else {
            for (std::size_t child = c + 1; child < cell.skip; child = cells_[child].skip)
                largest = std::max(largest, boxes_[child].largest_h);
        }
        boxes_[c].largest_h = largest;
        cells_[c].reach = radius_[c] + 0.5 * largest;
    }
}

}  // namespace evrard
