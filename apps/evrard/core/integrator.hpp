// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config.hpp"
#include "hydro.hpp"
#include "particles.hpp"

#include <vector>

namespace evrard {

/// What is conserved, and what it is made of. Code units.
struct Energies {
    double kinetic = 0.0;
    double internal = 0.0;
    double gravitational = 0.0;
    double momentum = 0.0;          ///< |sum m v|
    double angular_momentum = 0.0;  ///< |sum m r x v|
    double total() const { return kinetic + internal + gravitational; }
};

/// Sums over all particles, one after the other in index order: the result does not depend on threads or ranks.
Energies sum_energies(const Particles& particles);

/// Coefficient of variation (standard deviation / mean) of the particles' gravity cost: the imbalance that there is to
/// schedule. It counts interactions and not time, so that it is reproducible. @return 0 before the first step
double gravity_cost_cov(const Particles& particles);

/// Specific internal energy after `dt` at a constant rate; a fall by more than half becomes an exponential decay with
/// the same initial rate, so that the energy stays positive.
/// @param energy  > 0   @param rate  d energy / dt   @return > 0
double advance_energy(double energy, double rate, double dt);

/// Pressure and sound speed of an ideal gas, and everything else that the hydrodynamic sums read; `gradient` is left.
/// @param softening  d(gravitational energy)/dh of the particle, per unit mass. Since h follows rho^(-1/3), the energy
///   that changing h puts into or takes out of gravity acts like a pressure -rho h softening / 3; without it total
///   energy drifts.
/// @source Price and Monaghan 2007 (conservation with variable softening)
Fluid equation_of_state(const Particles& particles, std::size_t i, double softening, double gamma);

/// The step's length: min over particles of courant h / signal and eta sqrt(length / |a|), and at most dt_growth times
/// the step before.
/// @param signal_speed  [n] largest signal speed at each particle
/// @param last_dt  step before; 0 for the first step, which has config.first_dt
double next_dt(const Particles& particles, const std::vector<double>& signal_speed, double last_dt,
               const Config& config);

}  // namespace evrard
