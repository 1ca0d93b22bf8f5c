// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "octree.hpp"

#include <cstdint>
#include <vector>

namespace evrard {

/// Gravity on one particle, G = 1.
struct GravityResult {
    Vec3 acceleration;
    double potential = 0.0;     ///< per unit mass; the particle itself is left out
    double h_derivative = 0.0;  ///< d(total gravitational energy) / d(h of this particle) / its mass
    double interactions = 0.0;  ///< cost: 2 per cell used, 1 per particle visited [count]
};

/// Gravity on one particle by a Barnes-Hut walk with quadrupoles.
/// A pair is softened as if one particle were a homogeneous ball of radius H = (h_i + h_j) / 2, about the extent of the
/// SPH kernel: inside H the force is m r / H^3 and the potential -m (3 H^2 - r^2) / (2 H^3), which belong together.
/// Cells with a particle that could be softened are always opened.
/// @param tree  with smoothing lengths set   @param at  position of the particle   @param h  its smoothing length, > 0
/// @param far_cells  space for the walk's list, kept between particles to save allocations
/// @threads any number may walk one tree, each with its own list
/// @source Barnes and Hut 1986; test: tests/unit/evrard/gravity_test.cpp
GravityResult gravity_on(const Octree& tree, const Vec3& at, double h, std::vector<std::uint32_t>& far_cells);

/// The same by direct summation over all particles: the reference of the tree. @cost O(n)
GravityResult gravity_on_direct(const Octree& tree, const Vec3& at, double h);

}  // namespace evrard
