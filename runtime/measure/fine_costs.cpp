// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/fine_costs.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gimbal {

namespace {

constexpr double kChanged = 2;         // times what a chunk should have cost, or as much less: the loop has changed
constexpr std::uint16_t kLongest = 2;  // chunks that show how far single iterations stray
constexpr std::uint64_t kFewest = 32;  // iterations in them

}  // namespace

void FineCosts::prepare(std::uint64_t iterations) {
    assert(iterations >= 1);
    if (iterations > kMaxIterations) iterations = 0;
    if (iterations == costs_.size()) return;
    costs_.assign(iterations, 0);
    lengths_.assign(iterations, 0);
}

void FineCosts::add(Range chunk, double time) noexcept {
    if (chunk.size() == 0 || costs_.empty()) return;
    assert(chunk.end <= costs_.size());
    double known = 0;    // iterations,
    double should = 0;   // what they should have cost,
    double lengths = 0;  // and in what lengths they are known
    for (std::uint64_t i = chunk.first; i < chunk.end; ++i) {
        known += lengths_[i] > 0 ? 1 : 0;
        should += static_cast<double>(costs_[i]);
        lengths += lengths_[i];
    }
    const auto size = static_cast<double>(chunk.size());
    const double mean = time / size;
    const double factor = should > 0 ? mean * known / should : 0;
    const double length = known > 0 ? lengths / known : 0;
    // Errors are independent, so those of a long chunk exceed those of the sum of short ones.
    const double gain = size < length ? 1 : length / (length + size);
    const bool same = should > 0 && (size < length || (factor * kChanged > 1 && factor < kChanged));
    const auto shortest = static_cast<std::uint16_t>(std::min<std::uint64_t>(chunk.size(), UINT16_MAX));
    for (std::uint64_t i = chunk.first; i < chunk.end; ++i) {
        if (!same || lengths_[i] == 0) {
            costs_[i] = static_cast<float>(mean);
            lengths_[i] = shortest;
        } else {
            costs_[i] *= static_cast<float>(1 + gain * (factor - 1));
            lengths_[i] = std::min(lengths_[i], shortest);
        }
    }
}

double FineCosts::spread(const CostProfile& profile) const noexcept {
    double squares = 0;
    std::uint64_t count = 0;
    const double scale = 1 / static_cast<double>(costs_.size());
    for (std::uint64_t i = 0; i < costs_.size();) {
        const std::uint64_t size = std::max<std::uint64_t>(lengths_[i], 1);
        const std::uint64_t end = std::min<std::uint64_t>(i + size, costs_.size());
        const double expected =
            (profile.before(static_cast<double>(end) * scale) - profile.before(static_cast<double>(i) * scale)) /
            static_cast<double>(end - i);
        if (lengths_[i] > 0 && size <= kLongest && expected > 0) {
            const double off = cost(i) / expected - 1;
            squares += off * off * static_cast<double>(size);  // as of one: independent ones
            ++count;
        }
        i = end;
    }
    return count < kFewest ? 0 : std::sqrt(squares / static_cast<double>(count));
}

}  // namespace gimbal
