// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace stencil {

/// Temperatures in a cube of n x n x n cells with a border of zeros, one cell wide, that never changes.
/// A pencil is a row of n cells along x; pencil p lies at y = p % n, z = p / n.
class Mesh {
public:
    /// All zero. @param n  cells along each side [count], >= 1
    explicit Mesh(std::int64_t n);

    std::int64_t n() const { return n_; }
    std::int64_t pencils() const { return n_ * n_; }
    std::int64_t row() const { return n_ + 2; }                 ///< distance between neighbours in y
    std::int64_t plane() const { return (n_ + 2) * (n_ + 2); }  ///< distance between neighbours in z

    /// First cell of a pencil; n cells follow each other. @param pencil  in [0, pencils())
    double* pencil(std::int64_t pencil) { return values_.data() + offset(pencil); }
    const double* pencil(std::int64_t pencil) const { return values_.data() + offset(pencil); }

    bool operator==(const Mesh&) const = default;

private:
    std::int64_t offset(std::int64_t pencil) const {
        return (pencil / n_ + 1) * plane() + (pencil % n_ + 1) * row() + 1;
    }

    std::int64_t n_;
    std::vector<double> values_;  ///< [(n + 2)^3], x fastest
};

/// Half waves along x, y and z.
using Mode = std::array<int, 3>;

/// A sine mode with amplitude 1: an eigenvector of a step, so that its decay is known exactly.
Mesh sine_mode(std::int64_t n, const Mode& mode);

/// What a mode's amplitude is after some steps, without having made them.
double exact_amplitude(std::int64_t n, const Mode& mode, std::int64_t steps);

/// Largest difference from the exact solution, relative to its amplitude.
double relative_error(const Mesh& mesh, const Mode& mode, std::int64_t steps);

/// Sum over cells of a mix of (cell, bits of its value), modulo 2^64: two meshes with one bit apart differ.
std::uint64_t checksum(const Mesh& mesh);

}  // namespace stencil
