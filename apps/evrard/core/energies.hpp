// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "particles.hpp"

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

}  // namespace evrard
