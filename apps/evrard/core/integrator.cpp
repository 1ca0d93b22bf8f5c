// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "integrator.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cmath>

namespace evrard {

Energies sum_energies(const Particles& particles) {
    Energies sums;
    Vec3 momentum;
    Vec3 angular;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3& v = particles.velocity[i];
        sums.kinetic += 0.5 * dot(v, v);
        sums.internal += particles.energy[i];
        sums.gravitational += 0.5 * particles.potential[i];  // half: every pair is seen from both sides
        momentum = momentum + v;
        angular = angular + cross(particles.position[i], v);
    }
    sums.kinetic *= particles.mass;
    sums.internal *= particles.mass;
    sums.gravitational *= particles.mass;
    sums.momentum = particles.mass * norm(momentum);
    sums.angular_momentum = particles.mass * norm(angular);
    return sums;
}

double gravity_cost_cov(const Particles& particles) {
    double sum = 0.0;
    for (const double cost : particles.interactions) sum += cost;
    const double mean = sum / static_cast<double>(particles.size());
    if (mean == 0.0) return 0.0;
    double squares = 0.0;
    for (const double cost : particles.interactions) squares += (cost - mean) * (cost - mean);
    return std::sqrt(squares / static_cast<double>(particles.size())) / mean;
}

double advance_energy(double energy, double rate, double dt) {
    const double change = rate * dt;
    return change > -0.5 * energy ? energy + change : energy * std::exp(change / energy);
}

Fluid equation_of_state(const Particles& particles, std::size_t i, double softening, double gamma) {
    const double density = particles.density[i];
    const double h = particles.h[i];
    Fluid fluid;
    fluid.position = particles.position[i];
    fluid.velocity = particles.velocity[i];
    fluid.inv_h2 = 1.0 / (h * h);
    fluid.norm = kKernelNorm / (h * h * h);
    fluid.volume = particles.mass / density;
    fluid.heat_term = (gamma - 1.0) * particles.energy[i] / density;
    fluid.force_term = fluid.heat_term - softening * h / (3.0 * density);
    fluid.sound_speed = std::sqrt(gamma * (gamma - 1.0) * particles.energy[i]);
    fluid.h = h;
    return fluid;
}

double next_dt(const Particles& particles, const std::vector<double>& signal_speed, double last_dt,
               const Config& config) {
    if (last_dt == 0.0) return config.first_dt;
    double dt = config.dt_growth * last_dt;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const double acceleration = std::max(norm(particles.acceleration[i]), 1e-300);
        dt = std::min(dt, config.courant * particles.h[i] / signal_speed[i]);
        dt = std::min(dt, config.acceleration_eta * std::sqrt(config.acceleration_length / acceleration));
    }
    return dt;
}

}  // namespace evrard
