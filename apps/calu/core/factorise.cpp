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

/// One step: all blocks of columns right of a panel, and the next panel.
class Step {
public:
    Step(Matrix& matrix, const Blocks& blocks, const Panel& panel, Panel& next)
        : matrix_(matrix), blocks_(blocks), panel_(panel), next_(next) {
        const int right = matrix.n - panel.column - panel.width;
        count_ = (right + blocks.width - 1) / blocks.width;
    }

    int count() const { return count_; }

    void block(int index) {
        const int first = panel_.column + panel_.width + index * blocks_.width;
        const int width = std::min(blocks_.width, matrix_.n - first);
        update_block(matrix_, panel_, first, width);
        if (index > 0) return;
        next_.column = first;
        next_.width = width;
        factor_panel(matrix_, first, width, blocks_.leaves, next_.swaps);
    }

private:
    Matrix& matrix_;
    const Blocks& blocks_;
    const Panel& panel_;
    Panel& next_;
    int count_ = 0;
};

void run_step(Step& step, bool alone) {
    const int count = step.count();
    if (alone) {
        for (int index = 0; index < count; ++index) step.block(index);
        return;
    }
#pragma omp parallel for schedule(runtime)
    for (int index = 0; index < count; ++index) step.block(index);
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
    factor_panel(matrix, 0, panels.front().width, blocks.leaves, panels.front().swaps);
    for (;;) {
        Panel next;
        Step step(matrix, blocks, panels.back(), next);
        if (step.count() == 0) break;
        factors.times_s.push_back(apps::seconds_of([&] { run_step(step, alone); }));
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
    openblas_set_num_threads(1);
}

}  // namespace calu
