// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix.hpp"

#include <vector>

namespace calu {

/// How the matrix is cut.
struct Blocks {
    int width = 64;  ///< columns of a block [count], >= 1
    int leaves = 4;  ///< groups of rows among which the first round of a tournament is held [count], >= 1
};

/// Factors one panel: the columns [column, column + width) from row `column` down. A tournament finds the pivots: each
/// group of rows puts up `width` candidates by partial pivoting, and winners meet in pairs until one set is left. These
/// rows go to the top, and the panel is factored without further pivoting.
/// @param swaps  [width] out: row column + i was exchanged with row swaps[i] >= column + i, in the order of i; the rows
///               of other columns stay where they are
/// @errors none; a singular panel gives infinities, as LAPACK without a check does
/// @threads the caller alone   @cost O(rows width^2)
/// @source Grigori, Demmel, Xiang 2011; test: tests/unit/calu/panel_test.cpp
void factor_panel(Matrix& matrix, int column, int width, int leaves, std::vector<int>& swaps);

/// The rows that win a tournament among rows [first, n) of some columns, the strongest first. @return [width]
std::vector<int> tournament(const Matrix& matrix, int first, int column, int width, int leaves);

}  // namespace calu
