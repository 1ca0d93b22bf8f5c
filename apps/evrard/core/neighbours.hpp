// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "octree.hpp"

#include <cstdint>
#include <vector>

namespace evrard {

/// Squared distances of all particles within a radius, the particle itself included.
/// @param radius  > 0   @param r2  out: one entry per particle found, in tree order
/// @threads any number may search one tree   @cost O(found + log n)
void collect_distances(const Octree& tree, const Vec3& at, double radius, std::vector<double>& r2);

/// Particles that interact with particle `self`: within twice the larger of the two smoothing lengths. The relation is
/// symmetric, and so are the sums over it; that is what conserves momentum and energy.
/// @param tree  with smoothing lengths set   @param at, h  position and smoothing length of `self`
/// @param found  out: particle indices in tree order, without `self`
void collect_neighbours(const Octree& tree, std::uint32_t self, const Vec3& at, double h,
                        std::vector<std::uint32_t>& found);

}  // namespace evrard
