// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "panel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace calu {
namespace {

/// Partial pivoting as the textbook has it, on a copy. @return the rows in the order in which they become pivots
std::vector<int> partial_pivoting(Matrix matrix, int first, int column, int width) {
    std::vector<int> left;
    for (int row = first; row < matrix.n; ++row) left.push_back(row);
    std::vector<int> pivots;
    for (int j = 0; j < width; ++j) {
        const auto larger = [&](int a, int b) {
            return std::abs(*matrix.at(a, column + j)) < std::abs(*matrix.at(b, column + j));
        };
        const int pivot = *std::max_element(left.begin(), left.end(), larger);
        pivots.push_back(pivot);
        left.erase(std::find(left.begin(), left.end(), pivot));
        for (const int row : left) {
            const double factor = *matrix.at(row, column + j) / *matrix.at(pivot, column + j);
            for (int other = j; other < width; ++other)
                *matrix.at(row, column + other) -= factor * *matrix.at(pivot, column + other);
        }
    }
    return pivots;
}

TEST(Tournament, WithOneGroupIsPartialPivoting) {
    const Matrix matrix = random_matrix(40, 3);
    EXPECT_EQ(tournament(matrix, 0, 0, 8, 1), partial_pivoting(matrix, 0, 0, 8));
    EXPECT_EQ(tournament(matrix, 13, 13, 5, 1), partial_pivoting(matrix, 13, 13, 5));
}

TEST(Tournament, WinnersDifferAndTheLargestElementAlwaysLeads) {
    for (const int groups : {1, 2, 3, 4, 7, 1000}) {
        const Matrix matrix = random_matrix(61, 5);
        const std::vector<int> winners = tournament(matrix, 4, 4, 6, groups);
        EXPECT_EQ(std::set<int>(winners.begin(), winners.end()).size(), 6U) << groups;
        EXPECT_GE(*std::min_element(winners.begin(), winners.end()), 4);
        EXPECT_EQ(winners.front(), partial_pivoting(matrix, 4, 4, 1).front()) << groups;
    }
}

TEST(FactorPanel, ExchangesWholeRowsAndFactorsThem) {
    constexpr int kSize = 30;
    constexpr int kFirst = 5;
    constexpr int kWidth = 7;
    const Matrix before = random_matrix(kSize, 8);
    Matrix after = before;
    std::vector<int> swaps;
    factor_panel(after, kFirst, kWidth, 4, swaps);
    std::vector<int> rows;
    for (int row = 0; row < kSize; ++row) rows.push_back(row);
    for (int i = 0; i < kWidth; ++i) {
        ASSERT_GE(swaps[static_cast<std::size_t>(i)], kFirst + i);
        std::swap(rows[static_cast<std::size_t>(kFirst + i)],
                  rows[static_cast<std::size_t>(swaps[static_cast<std::size_t>(i)])]);
    }
    for (int row = kFirst; row < kSize; ++row) {
        for (int column = 0; column < kWidth; ++column) {
            double product = 0;  // (L U)(row, column)
            for (int k = 0; k <= std::min(row - kFirst, column); ++k) {
                const double l = k == row - kFirst ? 1 : *after.at(row, kFirst + k);
                product += l * *after.at(kFirst + k, kFirst + column);
            }
            EXPECT_NEAR(product, *before.at(rows[static_cast<std::size_t>(row)], kFirst + column), 1e-12);
        }
    }
    for (int column : {0, 4, 12, 29}) {  // not the panel's
        for (int row = 0; row < kSize; ++row) EXPECT_EQ(*after.at(row, column), *before.at(row, column));
    }
}

}  // namespace
}  // namespace calu
