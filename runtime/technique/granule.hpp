// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/technique.hpp"

namespace gimbal {

/// How many iterations of a loop stay together: chunks begin at multiples of it, counted from the loop's first
/// iteration, and, but for the loop's last one, have multiples of it.
/// @param loop   what the loop itself asks for: c of its schedule(dynamic, c) or (guided, c), the width of its vectors,
///               1 if nothing [iterations], >= 1
/// @param named  what the user named for the technique or selector (ChunkMeaning); 0: nothing [iterations]
/// @return the least multiple of `loop` that is not below `named`; UINT64_MAX if there is none  @threads any
[[nodiscard]] constexpr std::uint64_t granule_of(std::uint64_t loop, std::uint64_t named) noexcept {
    if (named <= loop) return loop;
    if (loop == 1) return named;  // every loop without a chunk comes here: no division
    const std::uint64_t count = named / loop + (named % loop != 0 ? 1 : 0);
    return count > UINT64_MAX / loop ? UINT64_MAX : count * loop;
}

/// The plan of a technique that keeps granules together. The technique plans a loop of ceil(N / g) iterations, each of
/// them one granule of g, and knows nothing of it; so whatever the technique, it cannot cut one. With g = 1 this is the
/// technique's own plan.
/// @param shape    in iterations; `chunk` is what the user named, 0: nothing
/// @param granule  what the loop asks for, as above [iterations], >= 1
/// @param least    minimum chunk where nothing was named, rounded up to granules; 0: none [iterations]
/// @return as Technique::plan(), in iterations, with g as its `unit`
/// @errors std::bad_alloc  @threads any  @cost that of the technique, O(1) more where the plan has no table
/// @source test: tests/unit/technique/granule_test.cpp
[[nodiscard]] Plan granular_plan(const Technique& technique, const LoopShape& shape, std::uint64_t granule,
                                 std::uint64_t least = 0);

}  // namespace gimbal
