// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/vec3.hpp"
#include "config.hpp"
#include "particles.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evrard {

using apps::Vec3;

/// A glass: points in the periodic unit cube that have pushed each other apart from random positions until they lie
/// evenly without a lattice's directions.
/// @param count  points [count], >= 8   @param seed  equal seeds give equal points on every machine
/// @return [count] points in [0, 1)^3
/// @cost 200 sweeps over about 80 neighbours of each point, and some over all pairs
std::vector<Vec3> make_glass(std::size_t count, std::uint64_t seed);

/// The Evrard sphere at t = 0: mass 1 inside radius 1 with density 1 / (2 pi r), so that M(<r) = r^2 and |g| = 1
/// everywhere inside; at rest, with constant specific internal energy.
/// A glass is tiled over space, the nearest `particles` points to the centre are kept and scaled to the unit sphere,
/// and the radial stretch r -> r^(3/2) turns constant density into 1 / r.
/// @return exactly config.particles particles; h holds a first guess, everything derived is zero
/// @source Evrard 1988; Steinmetz and Mueller 1993
Particles make_initial_sphere(const Config& config);

}  // namespace evrard
