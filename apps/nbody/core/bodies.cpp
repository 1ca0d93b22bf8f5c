// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bodies.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace nbody {

namespace {

using apps::mix;

constexpr double kScale = 0.03;    // Plummer's scale length
constexpr double kFarthest = 5.0;  // bodies lie within this many scale lengths of their cluster's centre

/// Distance from the centre, by inversion of the mass within it.
double plummer_radius(Random& random) {
    for (;;) {
        const double mass_within = 1.0 - random.uniform();  // in (0, 1]
        const double radius = kScale / std::sqrt(std::pow(mass_within, -2.0 / 3.0) - 1.0);
        if (radius < kFarthest * kScale) return radius;
    }
}

void add_cluster(Bodies& bodies, std::size_t count, Random& random) {
    const Vec3 centre{random.uniform(), random.uniform(), random.uniform()};
    std::vector<double> radii(count);
    for (double& radius : radii) radius = plummer_radius(random);
    std::sort(radii.begin(), radii.end());
    const double cluster_mass = bodies.mass * static_cast<double>(count);
    for (const double radius : radii) {
        // Velocities with the dispersion of Plummer's sphere in equilibrium.
        const double depth = std::sqrt(radius * radius + kScale * kScale + kSoftening * kSoftening);
        const double sigma = std::sqrt(cluster_mass / (6.0 * depth));
        bodies.position.push_back(centre + radius * direction(random));
        const double vx = sigma * random.normal();
        const double vy = sigma * random.normal();
        const double vz = sigma * random.normal();
        bodies.velocity.push_back({vx, vy, vz});
    }
}

}  // namespace

Vec3 direction(Random& random) {
    const double z = 2.0 * random.uniform() - 1.0;
    const double angle = 2.0 * std::numbers::pi * random.uniform();
    const double across = std::sqrt(1.0 - z * z);
    return {across * std::cos(angle), across * std::sin(angle), z};
}

Bodies make_clusters(std::size_t count, int clusters, std::uint64_t seed) {
    Bodies bodies;
    bodies.mass = 1.0 / static_cast<double>(count);
    Random random(seed);
    double shares = 0.0;
    for (int k = 1; k <= clusters; ++k) shares += 1.0 / k;
    double share = 0.0;
    for (int k = 1; k <= clusters; ++k) {
        share += 1.0 / k;
        const double end = k == clusters ? 1.0 : share / shares;
        const auto last = static_cast<std::size_t>(std::llround(end * static_cast<double>(count)));
        add_cluster(bodies, last - bodies.size(), random);
    }
    Vec3 mean;
    for (const Vec3& velocity : bodies.velocity) mean = mean + bodies.mass * velocity;
    for (Vec3& velocity : bodies.velocity) velocity = velocity - mean;
    bodies.acceleration.resize(count);
    bodies.potential.resize(count);
    bodies.interactions.resize(count);
    return bodies;
}

Energies energies(const Bodies& bodies) {
    Energies sum;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        sum.kinetic += 0.5 * bodies.mass * dot(bodies.velocity[i], bodies.velocity[i]);
        sum.potential += 0.5 * bodies.mass * bodies.potential[i];  // every pair is seen from both sides
        sum.momentum = sum.momentum + bodies.mass * bodies.velocity[i];
    }
    return sum;
}

double work_cov(const Bodies& bodies) {
    const auto n = static_cast<double>(bodies.size());
    const double mean = std::accumulate(bodies.interactions.begin(), bodies.interactions.end(), 0.0) / n;
    double squares = 0.0;
    for (const std::uint32_t work : bodies.interactions) squares += (work - mean) * (work - mean);
    return mean > 0.0 ? std::sqrt(squares / n) / mean : 0.0;
}

double static_imbalance(const Bodies& bodies, std::size_t workers) {
    const std::vector<std::uint32_t>& work = bodies.interactions;
    double most = 0.0;
    double sum = 0.0;
    for (std::size_t w = 0; w < workers; ++w) {
        const auto begin = work.begin() + static_cast<std::ptrdiff_t>(work.size() * w / workers);
        const auto end = work.begin() + static_cast<std::ptrdiff_t>(work.size() * (w + 1) / workers);
        const double block = std::accumulate(begin, end, 0.0);
        most = std::max(most, block);
        sum += block;
    }
    return sum > 0.0 ? 100.0 * (most * static_cast<double>(workers) / sum - 1.0) : 0.0;
}

std::uint64_t checksum(const Bodies& bodies) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        std::uint64_t value = mix(i + 1);
        for (const Vec3& v : {bodies.position[i], bodies.velocity[i]}) {
            for (const double component : {v.x, v.y, v.z}) value = mix(value ^ std::bit_cast<std::uint64_t>(component));
        }
        sum += value;
    }
    return sum;
}

}  // namespace nbody
