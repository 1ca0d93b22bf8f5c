// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "clock.hpp"

namespace apps {

/// Two copies of a grid of cells, of which a step reads one and writes the other.
template <class Cell>
struct TwoGrids {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    Cell* from = nullptr;  ///< [rows * columns], row by row
    Cell* to = nullptr;    ///< likewise
};

/// A row is reduced segment by segment, so that a device has enough to do at once.
constexpr std::int64_t kSegment = 32;  // columns

/// One row: what the kernel returns for its segments, in their order.
template <class Cell, class Kernel, class Combine, class Value>
Value reduced_row(const TwoGrids<Cell>& grids, const Kernel& kernel, const Combine& combine, Value value,
                  std::int64_t row) {
    for (std::int64_t first = 0; first < grids.columns; first += kSegment) {
        const std::int64_t end = first + kSegment < grids.columns ? first + kSegment : grids.columns;
        value = combine(value, kernel(grids.from, grids.to, row, first, end));
    }
    return value;
}

/// The back end for threads: one loop over rows, `schedule(runtime)`.
struct OnThreads {
    template <class Cell, class Kernel, class Combine, class Value>
    void operator()(const TwoGrids<Cell>& grids, const Kernel& kernel, const Combine& combine, Value identity,
                    Value* results) const {
#pragma omp parallel for schedule(runtime)
        for (std::int64_t row = 0; row < grids.rows; ++row)
            results[row] = reduced_row(grids, kernel, combine, identity, row);
    }
};

/// The pattern loop-of-stencil-reduce: every step writes each cell anew from itself and its neighbours, and reduces
/// what the kernel returns to one value, which decides whether there is another step.
///
/// Values are combined in the order of cells: the result does not depend on who ran what, even where `combine` rounds.
/// @param grids    holds the start in `from`, and at the end the last step's result; cells that the kernel never writes
///                 must be alike in both
/// @param kernel   Value kernel(const Cell* from, Cell* to, row, first column, end column): writes these cells of `to`
///                 and returns their value; it may read any cell of `from` within the halo of the back end
/// @param combine  Value combine(Value, Value), associative   @param identity  what it begins with
/// @param stop     bool stop(Value): whether the step that gave this value was the last
/// @param back     who runs a step: OnThreads, or WithDevice
/// @return [steps] wall time of each [s]   @errors those of the arguments   @threads those of the back end
/// @source the pattern of FastFlow's stencil-reduce; test: tests/unit/restore/stencil_reduce_test.cpp
template <class Cell, class Kernel, class Value, class Combine, class Stop, class Back>
std::vector<double> loop_of_stencil_reduce(TwoGrids<Cell>& grids, const Kernel& kernel, const Combine& combine,
                                           Value identity, const Stop& stop, Back&& back) {
    assert(grids.rows > 0 && grids.columns > 0);
    std::vector<Value> results(static_cast<std::size_t>(grids.rows), identity);
    std::vector<double> times_s;
    for (bool last = false; !last;) {
        Value value = identity;
        times_s.push_back(seconds_of([&] { back(grids, kernel, combine, identity, results.data()); }));
        for (const Value& result : results) value = combine(value, result);
        std::swap(grids.from, grids.to);
        last = stop(value);
    }
    return times_s;
}

}  // namespace apps
