// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "force.hpp"

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

}  // namespace nbody
