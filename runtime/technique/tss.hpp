// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/technique.hpp"

namespace gimbal::technique {

/// The line along which trapezoid self-scheduling shortens its chunks.
struct Trapezoid {
    std::uint64_t first = 0;  ///< F, size of the first chunk [iterations]
    std::uint64_t last = 1;   ///< L, size of the last chunk [iterations]
    std::uint64_t delta = 0;  ///< how much shorter each chunk is than the one before [iterations]

    /// Size of the k-th chunk, never below L [iterations].
    [[nodiscard]] std::uint64_t at(std::uint64_t k) const noexcept {
        if (first <= last) return last;
        if (delta != 0 && k > (first - last) / delta) return last;
        return first - k * delta;
    }
};

/// F = ceil(N / 2P), L = c, n = ceil(2N / (F + L)) chunks, delta = floor((F - L) / (n - 1)).
/// @errors none  @threads any  @cost O(1)  @source Tzen, Ni 1993
[[nodiscard]] Trapezoid trapezoid_of(const LoopShape& shape) noexcept;

}  // namespace gimbal::technique
