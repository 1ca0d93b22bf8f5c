// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/stencil_reduce.hpp"
#include "detect.hpp"
#include "functional.hpp"
#include "image.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace restore {

/// A pixel of u: its value after a step, and how far that step moved it.
struct Cell {
    std::uint8_t value;
    std::uint8_t moved;
};

/// One step of the second phase, for some pixels of a row: each noisy pixel gets the value that minimises the
/// functional while its neighbours hold still (Jacobi). Pixels whose neighbours did not move in the last step keep
/// their value, which a minimisation would only find again.
struct RegulariseKernel {
    const std::uint8_t* observed = nullptr;  ///< [rows * columns] d
    const std::uint8_t* noisy = nullptr;     ///< [rows * columns] 1 or 0
    const std::int64_t* slopes = nullptr;    ///< [510] slopes_of()
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    bool all = false;  ///< minimise all noisy pixels, whether anything moved or not

    /// @return sum over these pixels of |moved - moved before|   @threads any, on pixels that differ
    std::int64_t operator()(const Cell* from, Cell* to, std::int64_t row, std::int64_t first, std::int64_t end) const {
        return all ? step<true>(from, to, row, first, end) : step<false>(from, to, row, first, end);
    }

    /// The same. @tparam All  instead of `all`
    template <bool All>
    std::int64_t step(const Cell* from, Cell* to, std::int64_t row, std::int64_t first, std::int64_t end) const {
        std::int64_t change = 0;
        for (std::int64_t at = row * columns + first; at < row * columns + end; ++at) {
            if (!noisy[at]) continue;
            Surroundings around;
            around.observed = observed[at];
            const std::int64_t column = at - row * columns;
            bool moved = All;
            if (row > 0) moved |= look(from, at - columns, around);
            if (column > 0) moved |= look(from, at - 1, around);
            if (column + 1 < columns) moved |= look(from, at + 1, around);
            if (row + 1 < rows) moved |= look(from, at + columns, around);
            const int old = from[at].value;
            const int value = moved ? minimiser(slopes, around) : old;
            const int movement = std::abs(value - old);
            to[at] = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(movement)};
            change += std::abs(movement - from[at].moved);
        }
        return change;
    }

private:
    /// Takes in a neighbour. @return whether it moved in the last step
    bool look(const Cell* from, std::int64_t neighbour, Surroundings& around) const {
        around.values[static_cast<std::size_t>(around.count)] = from[neighbour].value;
        around.weights[static_cast<std::size_t>(around.count++)] = noisy[neighbour] ? 1 : 2;
        return from[neighbour].moved != 0;
    }
};

}  // namespace restore
