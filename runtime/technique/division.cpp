// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/division.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "technique/plan_builder.hpp"

namespace gimbal {

namespace {

using technique::Wide;

double fraction_of(double x) noexcept {
    return std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0);
}

/// Can work be shared out by these? If they are all equal there is nothing to do, and the integers stay simple.
bool unequal_and_sane(std::span<const double> weights) noexcept {
    if (weights.empty()) return false;
    const bool sane =
        std::all_of(weights.begin(), weights.end(), [](double weight) { return std::isfinite(weight) && weight >= 0; });
    const auto [lightest, heaviest] = std::minmax_element(weights.begin(), weights.end());
    return sane && *lightest < *heaviest;
}

}  // namespace

std::vector<std::uint64_t> integer_weights(std::span<const double> weights) {
    // As shares of the heaviest first: no sum can overflow.
    const double heaviest = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (const double weight : weights) sum += weight / heaviest;
    std::vector<std::uint64_t> result;
    result.reserve(weights.size());
    for (const double weight : weights) {
        result.push_back(technique::nearest_of(std::ldexp(weight / heaviest / sum, 40)));
    }
    return result;
}

std::uint64_t static_iterations(double static_fraction, std::uint64_t iterations) noexcept {
    const double fraction = fraction_of(static_fraction);
    if (fraction <= 0) return 0;
    // f = mantissa 2^-shift exactly, so the product is exact too: 53 + 64 bits.
    int exponent = 0;
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(fraction, &exponent), 53));
    const int shift = 53 - exponent;
    if (shift > 120) return 0;
    return static_cast<std::uint64_t>((Wide{mantissa} * iterations + (Wide{1} << (shift - 1))) >> shift);
}

std::vector<std::uint64_t> static_sizes(std::span<const double> weights, double static_fraction,
                                        std::uint64_t iterations, std::uint32_t workers) {
    const std::uint64_t count = std::max<std::uint32_t>(workers, 1);
    const std::uint64_t whole = static_iterations(static_fraction, iterations);
    std::vector<std::uint64_t> sizes(count, whole / count);
    if (weights.size() != count || !unequal_and_sane(weights)) {
        for (std::uint64_t worker = 0; worker < whole % count; ++worker) ++sizes[worker];
        return sizes;
    }
    const std::vector<std::uint64_t> shares = integer_weights(weights);
    const std::uint64_t sum = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
    // Cumulative rounding: the ends of the blocks are rounded, not their lengths.
    Wide upto = 0;
    std::uint64_t given = 0;
    for (std::uint64_t worker = 0; worker < count; ++worker) {
        upto += shares[worker];
        const auto end = static_cast<std::uint64_t>((2 * Wide{whole} * upto + sum) / (2 * Wide{sum}));
        sizes[worker] = end - given;
        given = end;
    }
    return sizes;
}

}  // namespace gimbal
