// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace evrard {

/// The order in which particle loops, and blocks of ranks, go through the particles.
enum class Order {
    radial,   ///< by distance from the centre: neighbouring iterations cost alike, blocks do not
    morton,   ///< along a space-filling curve: the octants' symmetry hides the imbalance on 2, 4 and 8 workers
    initial,  ///< as created, which is tile by tile of the glass
};

/// Everything that decides the result of a run. Code units: G = M = R = 1.
struct Config {
    std::size_t particles = 10000;  ///< [count]
    double neighbours = 100.0;      ///< particles inside the kernel's support [count]
    double theta = 0.5;             ///< opening angle of gravity [rad]
    Order order = Order::radial;    ///< order of loops and blocks; does not change the result
    std::uint64_t seed = 1;         ///< of the glass
    double gamma = 5.0 / 3.0;       ///< adiabatic index
    double initial_energy = 0.05;   ///< specific internal energy at t = 0
    double viscosity_alpha = 1.0;   ///< linear artificial viscosity
    double viscosity_beta = 2.0;    ///< quadratic artificial viscosity
    double courant = 0.3;           ///< dt <= courant h / signal speed
    double acceleration_eta = 0.2;  ///< dt <= eta sqrt(length / |a|)
    double acceleration_length = 0.005;
    double first_dt = 1e-4;  ///< first time step [time]
    double dt_growth = 1.1;  ///< largest ratio of two successive time steps
};

}  // namespace evrard
