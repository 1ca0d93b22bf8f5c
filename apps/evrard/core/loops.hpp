// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config.hpp"
#include "density.hpp"
#include "gravity.hpp"
#include "hydro.hpp"
#include "octree.hpp"
#include "particles.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// The parallel loops: one function each, every one `schedule(runtime)`, so that the schedule is chosen from outside.
/// An iteration writes to its own slot only and reads what no iteration writes; there is no reduction and no atomic.
/// Results are therefore bitwise the same under every schedule and thread count.
/// Loops over a `block` run on the rank that the block was given to: its entry k is a particle index, and the result
/// goes to out[k]. The others are cheap and run over all particles on every rank, which costs less than sending the
/// result.
namespace evrard {

using Block = std::span<const std::uint32_t>;

/// Smoothing lengths and densities. @param out  [block.size()]
void density_loop(const Octree& tree, const Particles& particles, Block block, double neighbours,
                  std::span<DensityResult> out);

/// Gravity; the costliest and the most unbalanced loop. @param out  [block.size()]
void gravity_loop(const Octree& tree, const Particles& particles, Block block, std::span<GravityResult> out);

/// Lists of interacting neighbours. @param out  [block.size()]
void neighbours_loop(const Octree& tree, const Particles& particles, Block block,
                     std::span<std::vector<std::uint32_t>> out);

/// Gradient matrices. @param lists, out  [block.size()]
void gradient_loop(const std::vector<Fluid>& fluid, Block block, std::span<const std::vector<std::uint32_t>> lists,
                   std::span<Sym3> out);

/// Accelerations and heating. @param lists, out  [block.size()]
void hydro_loop(const std::vector<Fluid>& fluid, Block block, std::span<const std::vector<std::uint32_t>> lists,
                double mass, const Config& config, std::span<HydroResult> out);

/// Equation of state; packs what the hydrodynamic loops read. @param softening  [n] GravityResult::h_derivative
void equation_of_state_loop(const Particles& particles, const std::vector<double>& softening, double gamma,
                            std::vector<Fluid>& fluid);

/// First half of a step: half kick, drift, and the prediction of velocity and energy at the end of the step.
void predict_loop(Particles& particles, double dt);

/// Second half of a step: the other half kick, from the state in the middle and the new rates.
void correct_loop(Particles& particles, double dt);

}  // namespace evrard
