// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/technique.hpp"

namespace gimbal::technique {

/// The chunk of a FAC2 batch that starts with R iterations left: ceil(R / 2P), clamped to [min(c, R), R].
/// @pre remaining >= 1  @errors none  @threads any  @cost O(1)
[[nodiscard]] std::uint64_t fac2_chunk(const LoopShape& shape, std::uint64_t remaining) noexcept;

/// FAC2's plan; also what a technique plans that has no statistics yet.
/// @errors std::bad_alloc  @threads any  @cost O(P log(N / P))
[[nodiscard]] Plan plan_fac2(const LoopShape& shape);

}  // namespace gimbal::technique
