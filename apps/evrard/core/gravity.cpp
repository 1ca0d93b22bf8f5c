// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gravity.hpp"

#include <algorithm>
#include <cmath>

namespace evrard {

namespace {

/// Add the particles in slots [first, first + count), softened, without the mass; includes the particle itself.
/// Branch-free: with r2s = max(r^2, H^2) both sides of the softening share one formula. The simd reductions regroup
/// the sums, but always in the same way.
void add_particles(const Octree& tree, const Vec3& at, double h, std::size_t first, std::size_t count,
                   GravityResult& sums) {
    const double* x = tree.x().data() + first;
    const double* y = tree.y().data() + first;
    const double* z = tree.z().data() + first;
    const double* hj = tree.h().data() + first;
    double ax = 0.0, ay = 0.0, az = 0.0, potential = 0.0, h_derivative = 0.0;
#pragma omp simd reduction(+ : ax, ay, az, potential, h_derivative)
    for (std::size_t j = 0; j < count; ++j) {
        const double dx = x[j] - at.x;
        const double dy = y[j] - at.y;
        const double dz = z[j] - at.z;
        const double soft = 0.5 * (h + hj[j]);
        const double r2 = dx * dx + dy * dy + dz * dz;
        const double r2s = r2 > soft * soft ? r2 : soft * soft;
        const double inv2 = 1.0 / r2s;
        const double inv = std::sqrt(inv2);
        const double inv3 = inv * inv2;
        const double ratio = r2 * inv2;  // 1 outside
        ax += inv3 * dx;
        ay += inv3 * dy;
        az += inv3 * dz;
        potential -= 0.5 * inv * (3.0 - ratio);
        h_derivative += 0.75 * inv2 * (1.0 - ratio);
    }
    sums.acceleration = sums.acceleration + Vec3{ax, ay, az};
    sums.potential += potential;
    sums.h_derivative += h_derivative;
}

/// Add the cells' monopoles and quadrupoles.
void add_cells(const Octree& tree, const Vec3& at, const std::vector<std::uint32_t>& list, GravityResult& sums) {
    const Cell* cells = tree.cells().data();
    const Multipole* multipoles = tree.multipoles().data();
    const std::uint32_t* cell_of = list.data();
    const std::size_t count = list.size();
    double ax = 0.0, ay = 0.0, az = 0.0, potential = 0.0;
#pragma omp simd reduction(+ : ax, ay, az, potential)
    for (std::size_t k = 0; k < count; ++k) {
        const Cell& cell = cells[cell_of[k]];
        const Multipole& m = multipoles[cell_of[k]];
        const double dx = cell.centre_of_mass.x - at.x;
        const double dy = cell.centre_of_mass.y - at.y;
        const double dz = cell.centre_of_mass.z - at.z;
        const double inv2 = 1.0 / (dx * dx + dy * dy + dz * dz);
        const double inv = std::sqrt(inv2);
        const double inv5 = inv * inv2 * inv2;
        const double qx = m.quadrupole.xx * dx + m.quadrupole.xy * dy + m.quadrupole.xz * dz;
        const double qy = m.quadrupole.xy * dx + m.quadrupole.yy * dy + m.quadrupole.yz * dz;
        const double qz = m.quadrupole.xz * dx + m.quadrupole.yz * dy + m.quadrupole.zz * dz;
        const double dqd = qx * dx + qy * dy + qz * dz;
        const double radial = m.mass * inv * inv2 + 2.5 * dqd * inv5 * inv2;
        ax += radial * dx - inv5 * qx;
        ay += radial * dy - inv5 * qy;
        az += radial * dz - inv5 * qz;
        potential -= m.mass * inv + 0.5 * dqd * inv5;
    }
    sums.acceleration = sums.acceleration + Vec3{ax, ay, az};
    sums.potential += potential;
}

/// The particle's own term in add_particles, r = 0 and H = h, taken out again.
GravityResult finish(const GravityResult& near, const GravityResult& far, double mass, double h, double interactions) {
    return {far.acceleration + mass * near.acceleration, far.potential + mass * (near.potential + 1.5 / h),
            mass * (near.h_derivative - 0.75 / (h * h)), interactions};
}

}  // namespace

GravityResult gravity_on(const Octree& tree, const Vec3& at, double h, std::vector<std::uint32_t>& far_cells) {
    const std::vector<Cell>& cells = tree.cells();
    far_cells.clear();
    GravityResult near;
    std::size_t visited = 0;
    const double half_h = 0.5 * h;
    for (std::size_t c = 0; c < cells.size();) {
        const Cell& cell = cells[c];
        const Vec3 d = cell.centre_of_mass - at;
        const double r2 = dot(d, d);
        const double softened = half_h + cell.reach;
        if (r2 >= cell.open2 && r2 > softened * softened) {
            far_cells.push_back(static_cast<std::uint32_t>(c));
            c = cell.skip;
        } else if (cell.leaf) {
            add_particles(tree, at, h, cell.first, cell.count, near);
            visited += cell.count;
            c = cell.skip;
        } else {
            ++c;
        }
    }
    GravityResult far;
    add_cells(tree, at, far_cells, far);
    return finish(near, far, tree.mass(), h, static_cast<double>(2 * far_cells.size() + visited));
}

GravityResult gravity_on_direct(const Octree& tree, const Vec3& at, double h) {
    GravityResult near;
    add_particles(tree, at, h, 0, tree.index().size(), near);
    return finish(near, {}, tree.mass(), h, static_cast<double>(tree.index().size()));
}

}  // namespace evrard
