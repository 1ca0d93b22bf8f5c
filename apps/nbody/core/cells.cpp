// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cells.hpp"

#include <algorithm>

namespace nbody {

namespace {

constexpr double kMaxCells = 32.0;  // along a side: bodies that fly away must not make the grid large

std::int64_t place_along(double distance, double width, std::int64_t cells) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(distance / width), 0, cells - 1);
}

}  // namespace

std::array<std::int64_t, 3> Cells::place_of(const Vec3& at) const {
    return {place_along(at.x - corner_.x, width_, sides_[0]), place_along(at.y - corner_.y, width_, sides_[1]),
            place_along(at.z - corner_.z, width_, sides_[2])};
}

Cells::Cells(std::span<const Vec3> positions, double cutoff) : corner_(positions[0]), entries_(positions.size()) {
    Vec3 top = corner_;
    for (const Vec3& p : positions) {
        corner_ = {std::min(corner_.x, p.x), std::min(corner_.y, p.y), std::min(corner_.z, p.z)};
        top = {std::max(top.x, p.x), std::max(top.y, p.y), std::max(top.z, p.z)};
    }
    const Vec3 extent = top - corner_;
    // A little wider than the cutoff: a quotient that is rounded down must not put a neighbour two cells away.
    constexpr double kMargin = 1.0 + 1e-6;
    width_ = std::max(kMargin * cutoff, std::max({extent.x, extent.y, extent.z}) / kMaxCells);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double length = axis == 0 ? extent.x : axis == 1 ? extent.y : extent.z;
        sides_.at(axis) = static_cast<std::int64_t>(length / width_) + 1;
    }
    // Counting sort, which keeps the order of bodies within a cell.
    std::vector<std::size_t> cell_of(positions.size());
    start_.assign(static_cast<std::size_t>(sides_[0] * sides_[1] * sides_[2]) + 1, 0);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const auto [x, y, z] = place_of(positions[i]);
        cell_of[i] = cell(x, y, z);
        ++start_[cell_of[i] + 1];
    }
    for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        entries_[next[cell_of[i]]++] = {positions[i], static_cast<std::uint32_t>(i)};
    }
}

}  // namespace nbody
