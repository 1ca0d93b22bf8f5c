// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/vec3.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evrard {

using apps::Vec3;

/// All particles, replicated on every rank; index = identity of the particle for the whole run.
/// Vectors are kept as one array of Vec3 each: neighbour loops gather at random, one cache line per neighbour.
struct Particles {
    explicit Particles(std::size_t count = 0);
    std::size_t size() const { return position.size(); }

    double mass = 0.0;  ///< of each particle; all are equal

    // state: what the integrator advances and the checksum covers
    std::vector<Vec3> position;
    std::vector<Vec3> velocity;
    std::vector<double> energy;  ///< specific internal energy
    std::vector<double> h;       ///< smoothing length; the support has radius 2 h

    // derived in each step
    std::vector<double> density;
    std::vector<double> potential;     ///< gravitational, per unit mass
    std::vector<Vec3> gravity;         ///< gravitational acceleration
    std::vector<Vec3> acceleration;    ///< gravity and pressure together
    std::vector<double> energy_rate;   ///< d energy / dt
    std::vector<double> interactions;  ///< gravity cost of the particle: 2 per cell, 1 per particle [count]

    // at the middle of a step, kept until the new accelerations are known
    std::vector<Vec3> half_velocity;
    std::vector<double> half_energy;
};

/// Hash of the state's bit patterns, in index order: equal exactly when two runs ended bitwise equal (up to
/// collisions).
/// @return 64-bit FNV-1a over position, velocity, energy and h
std::uint64_t checksum(const Particles& particles);

}  // namespace evrard
