// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bodies.hpp"
#include "cells.hpp"
#include "common/vec3.hpp"

#include <cmath>
#include <cstdint>

namespace nbody {

/// Gravity that is softened close by and fades out: its potential -w / sqrt(r^2 + softening^2) has w = 1 up to half the
/// cutoff, and falls from there to 0 at the cutoff with two continuous derivatives. Energy is therefore conserved.
struct Attraction {
    double force;      ///< towards the other body, per distance, for unit masses
    double potential;  ///< for unit masses
};

/// @param distance2  r^2, in [0, cutoff^2]
inline Attraction attraction(double distance2, double cutoff) {
    const double begin2 = 0.25 * cutoff * cutoff;
    double weight = 1.0;
    double slope = 0.0;  // of the weight over r^2
    if (distance2 > begin2) {
        const double t = (distance2 - begin2) / (3.0 * begin2);
        weight = 1.0 - t * t * t * (10.0 - t * (15.0 - 6.0 * t));
        slope = -30.0 * t * t * (1.0 - t) * (1.0 - t) / (3.0 * begin2);
    }
    const double inverse = 1.0 / std::sqrt(distance2 + kSoftening * kSoftening);
    return {inverse * (weight * inverse * inverse - 2.0 * slope), -weight * inverse};
}

/// What all others do to one body.
struct Force {
    Vec3 acceleration;
    double potential = 0.0;
    std::uint32_t interactions = 0;
};

/// Sum over the bodies within the cutoff, in an order that depends on the cells only.
/// @threads pure   @cost O(bodies nearby): a test of the distance for each, a square root for those within the cutoff
Force force_on(std::uint32_t body, const Vec3& at, const Cells& cells, double mass, double cutoff);

// The parallel loops, every one `schedule(runtime)`: the schedule is chosen from outside. One iteration is one body:
// it writes to that body only and reads what no iteration writes. Results are bitwise the same under every schedule.

/// First half kick of a step, and the drift. All iterations cost the same, and little.
void drift_loop(Bodies& bodies, double dt);

/// Forces, and the second half kick. Iterations cost what lies within their cutoff: the unbalanced loop.
/// @param dt  0: forces only   @param cells  of the bodies' positions
void force_loop(Bodies& bodies, const Cells& cells, double cutoff, double dt);

/// The same by the calling thread alone: the work that the loops share out.
void serial_drift_loop(Bodies& bodies, double dt);
void serial_force_loop(Bodies& bodies, const Cells& cells, double cutoff, double dt);

}  // namespace nbody
