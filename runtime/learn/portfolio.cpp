// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/portfolio.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace gimbal::learn {

std::vector<std::uint64_t> chunk_portfolio(std::uint64_t iterations, std::uint32_t workers) {
    // floor(N / (2^k P)) = floor(floor(N / P) / 2^k), and floor(log2(x)) of a real x >= 1 is that of floor(x): integers
    // do, and cannot round the wrong way.
    const std::uint64_t share = iterations / std::max<std::uint32_t>(workers, 1);
    if (share < 4) return {1};
    const auto count = static_cast<std::size_t>(std::bit_width(share)) - 2;
    std::vector<std::uint64_t> chunks(count);
    for (std::size_t i = 0; i < count; ++i) chunks[i] = share >> i;
    return chunks;
}

std::vector<double> steal_ratio_portfolio(std::uint32_t size) {
    size = std::clamp(size, kMinStealRatios, kMaxStealRatios);
    std::vector<double> ratios(size);
    for (std::uint32_t i = 0; i < size; ++i) ratios[i] = (i + 1) * 100.0 / size;
    return ratios;
}

}  // namespace gimbal::learn
