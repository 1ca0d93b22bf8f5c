// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <cstddef>
#include <cstdint>

namespace nbody {

Force force_on(std::uint32_t body, const Vec3& at, const Cells& cells, double mass, double cutoff) {
    Force sum;
    const double cutoff2 = cutoff * cutoff;
    cells.for_each_near(at, [&](const Cells::Entry& other) {
        const Vec3 there = other.position - at;
        const double distance2 = dot(there, there);
        if (distance2 >= cutoff2 || other.body == body) return;
        const Attraction pair = attraction(distance2, cutoff);
        sum.acceleration = sum.acceleration + pair.force * there;
        sum.potential += pair.potential;
        ++sum.interactions;
    });
    return {mass * sum.acceleration, mass * sum.potential, sum.interactions};
}

namespace {

void drift(Bodies& bodies, std::size_t i, double dt) {
    bodies.velocity[i] = bodies.velocity[i] + (0.5 * dt) * bodies.acceleration[i];
    bodies.position[i] = bodies.position[i] + dt * bodies.velocity[i];
}

void kick(Bodies& bodies, std::size_t i, const Cells& cells, double cutoff, double dt) {
    const Force force = force_on(static_cast<std::uint32_t>(i), bodies.position[i], cells, bodies.mass, cutoff);
    bodies.acceleration[i] = force.acceleration;
    bodies.potential[i] = force.potential;
    bodies.interactions[i] = force.interactions;
    bodies.velocity[i] = bodies.velocity[i] + (0.5 * dt) * force.acceleration;
}

}  // namespace

void drift_loop(Bodies& bodies, double dt) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        drift(bodies, i, dt);
    }
}

void force_loop(Bodies& bodies, const Cells& cells, double cutoff, double dt) {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        kick(bodies, i, cells, cutoff, dt);
    }
}

void serial_drift_loop(Bodies& bodies, double dt) {
    for (std::size_t i = 0; i < bodies.size(); ++i) drift(bodies, i, dt);
}

void serial_force_loop(Bodies& bodies, const Cells& cells, double cutoff, double dt) {
    for (std::size_t i = 0; i < bodies.size(); ++i) kick(bodies, i, cells, cutoff, dt);
}

}  // namespace nbody
