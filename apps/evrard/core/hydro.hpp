// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "config.hpp"
#include "sym3.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace evrard {

/// What the hydrodynamic sums read of a particle, together in memory because neighbours are gathered at random.
struct Fluid {
    Vec3 position;
    Vec3 velocity;
    double inv_h2 = 0.0;      ///< 1 / h^2
    double norm = 0.0;        ///< kernel normalisation K / h^3
    double volume = 0.0;      ///< m / rho
    double force_term = 0.0;  ///< (p / rho^2 - softening correction): what accelerates
    double heat_term = 0.0;   ///< p / rho^2: what heats
    double sound_speed = 0.0;
    double h = 0.0;
    Sym3 gradient;  ///< inverse of the IAD matrix
};

struct HydroResult {
    Vec3 acceleration;          ///< from pressure, viscosity and the softening correction
    double energy_rate = 0.0;   ///< du/dt
    double signal_speed = 0.0;  ///< largest, over the particle itself and its neighbours
};

/// Inverse of the matrix of the integral approach to derivatives (IAD):
///   tau = sum_j (m_j / rho_j) (r_j - r_i)(r_j - r_i)^T W(r_ij, h_i).
/// With it the gradient sum_j (m_j / rho_j)(f_j - f_i) tau^-1 (r_j - r_i) W is exact for linear fields.
/// @param all  [n], with volume, norm and inv_h2 set   @param neighbours  of `self`, without `self`
/// @source Garcia-Senz, Cabezon, Escartin 2012; test: tests/unit/evrard/hydro_test.cpp
Sym3 gradient_matrix(const std::vector<Fluid>& all, std::uint32_t self, std::span<const std::uint32_t> neighbours);

/// Acceleration and heating of one particle. Every pair's share is antisymmetric, and heat is exactly the kinetic
/// energy that pressure and viscosity take: momentum and energy are conserved up to the time step's error.
/// @param all  [n], complete   @param neighbours  of `self`, from the symmetric relation, without `self`
/// @param mass  of each particle
HydroResult hydro_on(const std::vector<Fluid>& all, std::uint32_t self, std::span<const std::uint32_t> neighbours,
                     double mass, const Config& config);

}  // namespace evrard
