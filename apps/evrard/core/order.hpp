// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/vec3.hpp"
#include "config.hpp"

#include <cstdint>
#include <vector>

namespace evrard {

using apps::Vec3;

/// Bits of a Morton key per dimension; the octree can be this deep.
inline constexpr int kMortonBits = 21;

/// The smallest cube around a set of points.
struct Cube {
    Vec3 corner;        ///< lowest corner
    double side = 0.0;  ///< > 0
};

/// @param points  [count >= 1]   @return a cube that holds all of them, a little larger than needed
Cube bounding_cube(const std::vector<Vec3>& points);

/// Position of a point on the Morton curve (Z order) through the cube.
/// @return key of 3 * kMortonBits bits; its highest three bits name the octant
std::uint64_t morton_key(const Vec3& point, const Cube& cube);

/// The order in which loops go through the particles in this step.
/// @param position  [n] of the particles
/// @return [n] particle indices, each once; equal keys are ordered by index, so that the result is unique
/// @cost one sort, O(n log n)
std::vector<std::uint32_t> iteration_order(const std::vector<Vec3>& position, Order order);

}  // namespace evrard
