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

struct DensityResult {
    double h = 0.0;        ///< smoothing length
    double density = 0.0;  ///< [mass/length^3]
};

/// Smoothing length and density of one particle, found together: h is the root of
///   (4 pi / 3) (2 h)^3 rho(h) / m = neighbours,   rho(h) = sum_j m W(r_ij, h),
/// so that h follows rho^(-1/3) exactly and changes smoothly in time. The left side grows with h: the root is unique.
/// @param tree  positions   @param at  position of the particle
/// @param guess  h of the step before, > 0   @param neighbours  wanted [count], > 27 (the particle itself counts
/// as 26.5)
/// @param r2  space for squared distances, kept between particles to save allocations
/// @threads any number, each with its own space   @cost two or three sums over the neighbours
/// @source Springel and Hernquist 2002 (the constraint); test: tests/unit/evrard/density_test.cpp
DensityResult density_of(const Octree& tree, const Vec3& at, double guess, double neighbours, std::vector<double>& r2);

/// Density that belongs to h under the constraint above. @return [mass/length^3]
double density_from_h(double mass, double h, double neighbours);

}  // namespace evrard
