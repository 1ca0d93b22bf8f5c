// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "panel.hpp"

#include <cblas.h>

#include <algorithm>
#include <numeric>
#include <utility>

extern "C" void dgetrf_(const int* rows, const int* columns, double* values, const int* leading, int* pivots,
                        int* info);

namespace calu {

namespace {

/// Those of some rows that partial pivoting takes first. @return [min(width, rows)]
std::vector<int> candidates(const Matrix& matrix, int column, int width, std::vector<int> rows) {
    const int count = static_cast<int>(rows.size());
    const int chosen = std::min(width, count);
    if (count <= 1) return rows;
    std::vector<double> copy(rows.size() * static_cast<std::size_t>(width));
    for (int j = 0; j < width; ++j) {
        const double* const values = matrix.at(0, column + j);
        double* const to = copy.data() + static_cast<std::ptrdiff_t>(j) * count;
        std::transform(rows.begin(), rows.end(), to, [values](int row) { return values[row]; });
    }
    std::vector<int> pivots(static_cast<std::size_t>(chosen));
    int info = 0;  // > 0: singular; the order of rows is as good as any
    dgetrf_(&count, &width, copy.data(), &count, pivots.data(), &info);
    for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(rows[i], rows[static_cast<std::size_t>(pivots[i] - 1)]);
    rows.resize(pivots.size());
    return rows;
}

/// LU of a small square block without pivoting, and the rows below it divided by its U.
void factor_without_pivoting(Matrix& matrix, int column, int width) {
    for (int j = 0; j < width; ++j) {
        double* const values = matrix.at(column, column + j);
        for (int i = j + 1; i < width; ++i) values[i] /= values[j];
        for (int other = j + 1; other < width; ++other) {
            double* const to = matrix.at(column, column + other);
            for (int i = j + 1; i < width; ++i) to[i] -= values[i] * to[j];
        }
    }
    const int below = matrix.n - column - width;
    if (below > 0)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, below, width, 1,
                    matrix.at(column, column), matrix.n, matrix.at(column + width, column), matrix.n);
}

}  // namespace

std::vector<int> tournament(const Matrix& matrix, int first, int column, int width, int leaves) {
    const int rows = matrix.n - first;
    const int groups = std::clamp(rows / width, 1, leaves);
    std::vector<std::vector<int>> winners;
    for (int group = 0; group < groups; ++group) {
        const auto bound = [&](int g) {
            return first + static_cast<int>(static_cast<std::int64_t>(rows) * g / groups);
        };
        std::vector<int> members(static_cast<std::size_t>(bound(group + 1) - bound(group)));
        std::iota(members.begin(), members.end(), bound(group));
        winners.push_back(candidates(matrix, column, width, std::move(members)));
    }
    while (winners.size() > 1) {
        std::vector<std::vector<int>> next;
        for (std::size_t i = 0; i < winners.size(); i += 2) {
            std::vector<int> pair = std::move(winners[i]);
            if (i + 1 < winners.size()) {
                pair.insert(pair.end(), winners[i + 1].begin(), winners[i + 1].end());
                pair = candidates(matrix, column, width, std::move(pair));
            }
            next.push_back(std::move(pair));
        }
        winners = std::move(next);
    }
    return std::move(winners.front());
}

void factor_panel(Matrix& matrix, int column, int width, int leaves, std::vector<int>& swaps) {
    std::vector<int> pivots = tournament(matrix, column, column, width, leaves);
    swaps.assign(static_cast<std::size_t>(width), 0);
    for (std::size_t i = 0; i < swaps.size(); ++i) {
        const int top = column + static_cast<int>(i);
        const int pivot = pivots[i];
        swaps[i] = pivot;
        if (pivot == top) continue;
        for (int j = 0; j < width; ++j) std::swap(*matrix.at(top, column + j), *matrix.at(pivot, column + j));
        // The row that was on top lies where the pivot was.
        std::replace(pivots.begin() + static_cast<std::ptrdiff_t>(i) + 1, pivots.end(), top, pivot);
    }
    factor_without_pivoting(matrix, column, width);
}

}  // namespace calu
