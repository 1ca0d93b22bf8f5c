// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "energies.hpp"

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

}  // namespace evrard
