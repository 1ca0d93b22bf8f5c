// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vec3.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evrard {

/// A glass: points in the periodic unit cube that have pushed each other apart from random positions until they lie
/// evenly without a lattice's directions.
/// @param count  points [count], >= 8   @param seed  equal seeds give equal points on every machine
/// @return [count] points in [0, 1)^3
/// @cost 200 sweeps over about 80 neighbours of each point, and some over all pairs
std::vector<Vec3> make_glass(std::size_t count, std::uint64_t seed);

}  // namespace evrard
