// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "factorise.hpp"

#include "common/clock.hpp"

#include <cblas.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace calu {

namespace {

/// A panel that was factored: columns [column, column + width), and how it exchanged rows.
struct Panel {
    int column = 0;
    int width = 0;
    std::vector<int> swaps;
};

void exchange_rows(Matrix& matrix, const Panel& panel, int first, int end) {
    for (int column = first; column < end; ++column) {
        double* const values = matrix.at(0, column);
        for (int i = 0; i < panel.width; ++i)
            std::swap(values[panel.column + i], values[panel.swaps[static_cast<std::size_t>(i)]]);
    }
}

/// What a panel means for a block of columns to its right: rows exchanged, a block row of U, the rest less L U.
void update_block(Matrix& matrix, const Panel& panel, int first, int width) {
    exchange_rows(matrix, panel, first, first + width);
    const int n = matrix.n;
    const int below = panel.column + panel.width;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, panel.width, width, 1,
                matrix.at(panel.column, panel.column), n, matrix.at(panel.column, first), n);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n - below, width, panel.width, -1,
                matrix.at(below, panel.column), n, matrix.at(panel.column, first), n, 1, matrix.at(below, first), n);
}

/// One iteration of a step: a block of columns right of the panel. @param next  out: the next panel, from the first one
void run_block(Matrix& matrix, const Blocks& blocks, const Panel& panel, int index, Panel& next) {
    const int first = panel.column + panel.width + index * blocks.width;
    const int width = std::min(blocks.width, matrix.n - first);
    update_block(matrix, panel, first, width);
    if (index > 0) return;
    next.column = first;
    next.width = width;
    factor_panel(matrix, first, width, blocks.leaves, next.swaps);
}

/// One step: all blocks of columns right of a panel, and the next panel.
void run_step(Matrix& matrix, const Blocks& blocks, const Panel& panel, Panel& next, bool alone) {
    const int count = (matrix.n - panel.column - panel.width + blocks.width - 1) / blocks.width;
    if (alone) {
        const OneThread one;
        for (int index = 0; index < count; ++index) run_block(matrix, blocks, panel, index, next);
        return;
    }
#pragma omp parallel for schedule(runtime)
    for (int index = 0; index < count; ++index) run_block(matrix, blocks, panel, index, next);
}

/// Rows of the columns left of each panel, which the steps did not touch; all columns cost the same.
void exchange_left(Matrix& matrix, const std::vector<Panel>& panels) {
#pragma omp parallel for schedule(static)
    for (int column = 0; column < matrix.n; ++column) {
        for (const Panel& panel : panels) {
            if (column < panel.column) exchange_rows(matrix, panel, column, column + 1);
        }
    }
}

}  // namespace

Factors factorise(Matrix& matrix, const Blocks& blocks, bool alone) {
    Factors factors;
    factors.rows.resize(static_cast<std::size_t>(matrix.n));
    std::iota(factors.rows.begin(), factors.rows.end(), 0);
    std::vector<Panel> panels(1);
    panels.front().width = std::min(blocks.width, matrix.n);
    {
        const OneThread one;
        factor_panel(matrix, 0, panels.front().width, blocks.leaves, panels.front().swaps);
    }
    while (panels.back().column + panels.back().width < matrix.n) {
        Panel next;
        factors.times_s.push_back(apps::seconds_of([&] { run_step(matrix, blocks, panels.back(), next, alone); }));
        panels.push_back(std::move(next));
    }
    exchange_left(matrix, panels);
    for (const Panel& panel : panels) {
        for (int i = 0; i < panel.width; ++i)
            std::swap(factors.rows[static_cast<std::size_t>(panel.column + i)],
                      factors.rows[static_cast<std::size_t>(panel.swaps[static_cast<std::size_t>(i)])]);
    }
    return factors;
}

void one_thread_per_call() {
    // An OpenBLAS on OpenMP up to 0.3.21 takes that for the whole program.
    const int threads = omp_get_max_threads();
    openblas_set_num_threads(1);
    omp_set_num_threads(threads);
}

}  // namespace calu
