// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gimbal::learn {

/// Chunk sizes to choose from: n = floor(log2(N / P)) - 1 of them, N / P, N / 2P, N / 4P, ..., rounded down. With fewer
/// than four iterations per worker the formula gives none; then a chunk of 1 is all there is.
/// @param iterations  N [iterations]  @param workers  P [count]; 0 counts as 1
/// @return [n] chunk sizes [iterations], >= 1, strictly decreasing; never empty
/// @errors std::bad_alloc  @threads any  @cost O(log(N / P))
/// @source seed 000, eqs 4.1 and 4.2; test: tests/unit/learn/portfolio_test.cpp
[[nodiscard]] inline std::vector<std::uint64_t> chunk_portfolio(std::uint64_t iterations, std::uint32_t workers) {
    // floor(N / (2^k P)) = floor(floor(N / P) / 2^k), and floor(log2(x)) of a real x >= 1 is that of floor(x): integers
    // do, and cannot round the wrong way.
    const std::uint64_t share = iterations / std::max<std::uint32_t>(workers, 1);
    if (share < 4) return {1};
    const auto count = static_cast<std::size_t>(std::bit_width(share)) - 2;
    std::vector<std::uint64_t> chunks(count);
    for (std::size_t i = 0; i < count; ++i) chunks[i] = share >> i;
    return chunks;
}

/// The sizes that a steal ratio portfolio may have, and the usual one [count].
inline constexpr std::uint32_t kMinStealRatios = 2;
inline constexpr std::uint32_t kMaxStealRatios = 100;
inline constexpr std::uint32_t kStealRatios = 10;

/// Steal ratios to choose from: 100/S, 2 * 100/S, ..., 100.
/// @param size  S [count]; brought into [2, 100]
/// @return [S] percent of what a victim has left, ascending
/// @errors std::bad_alloc  @threads any  @cost O(S)
/// @source seed 000, eq. 4.3; test: tests/unit/learn/portfolio_test.cpp
[[nodiscard]] inline std::vector<double> steal_ratio_portfolio(std::uint32_t size = kStealRatios) {
    size = std::clamp(size, kMinStealRatios, kMaxStealRatios);
    std::vector<double> ratios(size);
    for (std::uint32_t i = 0; i < size; ++i) ratios[i] = (i + 1) * 100.0 / size;
    return ratios;
}

}  // namespace gimbal::learn
