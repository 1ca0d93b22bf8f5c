// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace calu {

/// A square matrix, column by column.
struct Matrix {
    int n = 0;
    std::vector<double> values;  ///< [n * n]

    explicit Matrix(int size) : n(size), values(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}
    /// First element of a column from a row on.
    double* at(int row, int column) { return values.data() + static_cast<std::ptrdiff_t>(column) * n + row; }
    const double* at(int row, int column) const {
        return values.data() + static_cast<std::ptrdiff_t>(column) * n + row;
    }
};

/// Elements in [-1, 1), the same for the same seed everywhere.
Matrix random_matrix(int n, std::uint64_t seed);

/// ||PA - LU|| / (||A|| n eps) in the Frobenius norm: a few units or less for a stable factorisation.
/// @param factors  L below the diagonal, whose ones are not stored, and U   @param rows  row i of PA is row rows[i] of
/// A
/// @cost O(n^3)
double residual(const Matrix& original, const Matrix& factors, const std::vector<int>& rows);

/// Sum over elements of a mix of (place, bits), and over rows likewise, modulo 2^64.
std::uint64_t checksum(const Matrix& factors, const std::vector<int>& rows);

}  // namespace calu
