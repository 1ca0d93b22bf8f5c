// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include "density.hpp"
#include "integrator.hpp"
#include "kernel.hpp"

#include <cmath>
#include <cstddef>

namespace evrard {

void density_loop(const Octree& tree, const Particles& particles, Block block, double neighbours,
                  std::span<DensityResult> out) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t k = 0; k < block.size(); ++k) {
        static thread_local std::vector<double> scratch;
        const std::uint32_t i = block[k];
        out[k] = density_of(tree, particles.position[i], particles.h[i], neighbours, scratch);
    }
}

void gravity_loop(const Octree& tree, const Particles& particles, Block block, std::span<GravityResult> out) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t k = 0; k < block.size(); ++k) {
        static thread_local std::vector<std::uint32_t> scratch;
        const std::uint32_t i = block[k];
        out[k] = gravity_on(tree, particles.position[i], particles.h[i], scratch);
    }
}

void neighbours_loop(const Octree& tree, const Particles& particles, Block block,
                     std::span<std::vector<std::uint32_t>> out) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t k = 0; k < block.size(); ++k) {
        const std::uint32_t i = block[k];
        collect_neighbours(tree, i, particles.position[i], particles.h[i], out[k]);
    }
}

void gradient_loop(const std::vector<Fluid>& fluid, Block block, std::span<const std::vector<std::uint32_t>> lists,
                   std::span<Sym3> out) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t k = 0; k < block.size(); ++k) {
        out[k] = gradient_matrix(fluid, block[k], lists[k]);
    }
}

void hydro_loop(const std::vector<Fluid>& fluid, Block block, std::span<const std::vector<std::uint32_t>> lists,
                double mass, const Config& config, std::span<HydroResult> out) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t k = 0; k < block.size(); ++k) {
        out[k] = hydro_on(fluid, block[k], lists[k], mass, config);
    }
}

void equation_of_state_loop(const Particles& particles, const std::vector<double>& softening, double gamma,
                            std::vector<Fluid>& fluid) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < particles.size(); ++i) {
        fluid[i] = equation_of_state(particles, i, softening[i], gamma);
    }
}

void predict_loop(Particles& particles, double dt) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3 velocity = particles.velocity[i];
        const double energy = particles.energy[i];
        particles.half_velocity[i] = velocity + (0.5 * dt) * particles.acceleration[i];
        particles.half_energy[i] = advance_energy(energy, particles.energy_rate[i], 0.5 * dt);
        particles.position[i] = particles.position[i] + dt * particles.half_velocity[i];
        particles.velocity[i] = velocity + dt * particles.acceleration[i];
        particles.energy[i] = advance_energy(energy, particles.energy_rate[i], dt);
    }
}

void correct_loop(Particles& particles, double dt) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < particles.size(); ++i) {
        particles.velocity[i] = particles.half_velocity[i] + (0.5 * dt) * particles.acceleration[i];
        particles.energy[i] = advance_energy(particles.half_energy[i], particles.energy_rate[i], 0.5 * dt);
    }
}

}  // namespace evrard
