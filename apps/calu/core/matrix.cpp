// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix.hpp"

#include "common/random.hpp"

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace calu {

using apps::mix;

namespace {

double frobenius(const Matrix& matrix) {
    return cblas_dnrm2(static_cast<int>(matrix.values.size()), matrix.values.data(), 1);
}

}  // namespace

Matrix random_matrix(int n, std::uint64_t seed) {
    Matrix matrix(n);
    std::uint64_t place = mix(seed);
    for (double& value : matrix.values) value = static_cast<double>(mix(++place) >> 11) * 0x1p-52 - 1;
    return matrix;
}

double residual(const Matrix& original, const Matrix& factors, const std::vector<int>& rows) {
    const int n = original.n;
    Matrix product(n);  // U, then LU, then LU - PA
    for (int column = 0; column < n; ++column) std::copy_n(factors.at(0, column), column + 1, product.at(0, column));
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, n, 1, factors.values.data(), n,
                product.values.data(), n);
    for (int column = 0; column < n; ++column) {
        for (int row = 0; row < n; ++row)
            *product.at(row, column) -= *original.at(rows[static_cast<std::size_t>(row)], column);
    }
    return frobenius(product) / (frobenius(original) * n * std::numeric_limits<double>::epsilon());
}

std::uint64_t checksum(const Matrix& factors, const std::vector<int>& rows) {
    std::uint64_t sum = 0;
    std::uint64_t place = 0;
    for (const double value : factors.values) sum += mix(mix(++place) ^ std::bit_cast<std::uint64_t>(value));
    for (const int row : rows) sum += mix(mix(++place) ^ static_cast<std::uint64_t>(row));
    return sum;
}

}  // namespace calu
