// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/random.hpp"
#include "common/vec3.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nbody {

using apps::Random;
using apps::Vec3;

/// Softening length: within it, attraction no longer grows. Total mass, gravity's constant and the box side are 1.
constexpr double kSoftening = 0.01;

/// All bodies, of equal mass. Their order never changes: neighbours in it start in the same cluster at like radius.
struct Bodies {
    double mass = 0.0;  ///< of one body; all together weigh 1
    std::vector<Vec3> position;
    std::vector<Vec3> velocity;
    std::vector<Vec3> acceleration;
    std::vector<double> potential;            ///< of unit mass
    std::vector<std::uint32_t> interactions;  ///< bodies within the cutoff, without itself: the work of an iteration

    std::size_t size() const { return position.size(); }
    bool operator==(const Bodies&) const = default;
};

/// Clusters with Plummer's density, nearly in balance, at random places; the k-th holds a share of 1 / k of the first.
/// Rates are zero until the first force loop. Mean velocity is zero.
/// @param count  bodies, >= 1   @param clusters  >= 1
Bodies make_clusters(std::size_t count, int clusters, std::uint64_t seed);

/// Unit vector, all directions alike.
Vec3 direction(Random& random);

struct Energies {
    double kinetic = 0.0;
    double potential = 0.0;
    Vec3 momentum;

    double total() const { return kinetic + potential; }
};

/// @pre the force loop has run for these positions
Energies energies(const Bodies& bodies);

/// Standard deviation over mean of the interactions of a body.
double work_cov(const Bodies& bodies);

/// Percent imbalance, 100 (max / mean - 1), if each worker gets one block of equally many bodies.
double static_imbalance(const Bodies& bodies, std::size_t workers);

/// Sum over bodies of a mix of (body, bits of position and velocity), modulo 2^64.
std::uint64_t checksum(const Bodies& bodies);

}  // namespace nbody
