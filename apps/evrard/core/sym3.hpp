// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/vec3.hpp"

namespace evrard {

using apps::Vec3;

/// A symmetric 3 x 3 matrix.
struct Sym3 {
    double xx = 0.0;
    double xy = 0.0;
    double xz = 0.0;
    double yy = 0.0;
    double yz = 0.0;
    double zz = 0.0;

    /// Add w * d d^T.
    void add_outer(double w, const Vec3& d) {
        xx += w * d.x * d.x;
        xy += w * d.x * d.y;
        xz += w * d.x * d.z;
        yy += w * d.y * d.y;
        yz += w * d.y * d.z;
        zz += w * d.z * d.z;
    }
};

inline Vec3 operator*(const Sym3& m, const Vec3& v) {
    return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
            m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

/// Inverse by cofactors.
/// @param m  a matrix that can be inverted; the result is not finite otherwise
inline Sym3 inverse(const Sym3& m) {
    const double c_xx = m.yy * m.zz - m.yz * m.yz;
    const double c_xy = m.xz * m.yz - m.xy * m.zz;
    const double c_xz = m.xy * m.yz - m.xz * m.yy;
    const double s = 1.0 / (m.xx * c_xx + m.xy * c_xy + m.xz * c_xz);
    return {s * c_xx,
            s * c_xy,
            s * c_xz,
            s * (m.xx * m.zz - m.xz * m.xz),
            s * (m.xy * m.xz - m.xx * m.yz),
            s * (m.xx * m.yy - m.xy * m.xy)};
}

}  // namespace evrard
