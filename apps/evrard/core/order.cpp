// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace evrard {

Cube bounding_cube(const std::vector<Vec3>& points) {
    Vec3 low = points.front();
    Vec3 high = points.front();
    for (const Vec3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const double extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    return {low, std::max(extent * (1.0 + 1e-9), 1e-30)};
}

namespace {

/// Put two zero bits after each of the lowest 21 bits.
std::uint64_t spread_bits(std::uint64_t v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffffULL;
    v = (v | v << 16) & 0x1f0000ff0000ffULL;
    v = (v | v << 8) & 0x100f00f00f00f00fULL;
    v = (v | v << 4) & 0x10c30c30c30c30c3ULL;
    v = (v | v << 2) & 0x1249249249249249ULL;
    return v;
}

std::uint64_t grid_cell(double offset, double side) {
    constexpr double kCells = static_cast<double>(1 << kMortonBits);
    const double cell = std::clamp(offset / side * kCells, 0.0, kCells - 1.0);
    return static_cast<std::uint64_t>(cell);
}

}  // namespace

std::uint64_t morton_key(const Vec3& point, const Cube& cube) {
    const Vec3 d = point - cube.corner;
    return spread_bits(grid_cell(d.x, cube.side)) << 2 | spread_bits(grid_cell(d.y, cube.side)) << 1 |
           spread_bits(grid_cell(d.z, cube.side));
}

namespace {

template <class Key>
std::vector<std::uint32_t> sorted_by(std::size_t count, const Key& key) {
    using Entry = std::pair<decltype(key(0)), std::uint32_t>;
    std::vector<Entry> entries(count);
    for (std::size_t i = 0; i < count; ++i) entries[i] = {key(i), static_cast<std::uint32_t>(i)};
    std::sort(entries.begin(), entries.end());  // pairs: ties go to the lower index
    std::vector<std::uint32_t> order(count);
    for (std::size_t k = 0; k < count; ++k) order[k] = entries[k].second;
    return order;
}

}  // namespace

std::vector<std::uint32_t> iteration_order(const std::vector<Vec3>& position, Order order) {
    const std::size_t n = position.size();
    if (order == Order::radial) {
        return sorted_by(n, [&position](std::size_t i) { return dot(position[i], position[i]); });
    }
    if (order == Order::morton) {
        const Cube cube = bounding_cube(position);
        return sorted_by(n, [&position, &cube](std::size_t i) { return morton_key(position[i], cube); });
    }
    std::vector<std::uint32_t> identity(n);
    std::iota(identity.begin(), identity.end(), std::uint32_t{0});
    return identity;
}

}  // namespace evrard
