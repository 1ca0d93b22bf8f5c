// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/mix.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace nbody {

struct Vec3 {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;

    bool operator==(const Vec3&) const = default;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator*(double s, const Vec3& v) {
    return {s * v.x, s * v.y, s * v.z};
}
inline double dot(const Vec3& a, const Vec3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

using apps::mix;

/// Random numbers by SplitMix64. The distributions of the standard library differ from one library to the next, so the
/// few that are needed are written out.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

    /// In [0, 1), on 53 bits.
    double uniform() {
        state_ += 0x9e3779b97f4a7c15U;
        return static_cast<double>(mix(state_) >> 11) * 0x1p-53;
    }

    /// Mean 0, variance 1 (Box and Muller).
    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(2.0 * std::numbers::pi * uniform());
    }

    /// Unit vector, all directions alike.
    Vec3 direction() {
        const double z = 2.0 * uniform() - 1.0;
        const double angle = 2.0 * std::numbers::pi * uniform();
        const double across = std::sqrt(1.0 - z * z);
        return {across * std::cos(angle), across * std::sin(angle), z};
    }

private:
    std::uint64_t state_;
};

}  // namespace nbody
