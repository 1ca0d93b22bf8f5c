// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal::technique {

/// The expert chunk of Auto4OMP: N / (2^(m + 1) P), m = floor(0.618 log2(N / P)), rounded down.
/// @param iterations  N [iterations]  @param workers  P [count]; 0 counts as 1
/// @return [iterations], at least 1
/// @errors none  @threads any  @cost O(1)
/// @source Mohammed, Korndoerfer, Eleliemy, Ciorba 2022 (Auto4OMP); test: tests/unit/select/portfolio_test.cpp
[[nodiscard]] std::uint64_t golden_chunk(std::uint64_t iterations, std::uint32_t workers) noexcept;

}  // namespace gimbal::technique
