// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functional.hpp"

#include <algorithm>
#include <cmath>

namespace restore {

namespace {

/// phi(t + 1) - phi(t), without the cancellation that two large square roots would bring.
double difference(const Regularisation& settings, double t) {
    if (settings.kind == NoiseKind::salt_and_pepper)
        return std::pow(t + 1, settings.alpha) - std::pow(t, settings.alpha);
    return (2 * t + 1) / (std::sqrt((t + 1) * (t + 1) + settings.alpha) + std::sqrt(t * t + settings.alpha));
}

}  // namespace

Slopes slopes_of(const Regularisation& settings) {
    Slopes slopes{};
    std::int64_t last = 0;
    for (int t = 0; t < kGreyLevels - 1; ++t) {
        const double slope = settings.beta / 2 * difference(settings, t) * static_cast<double>(kOne);
        last = std::max<std::int64_t>(last, std::llround(slope));
        slopes[static_cast<std::size_t>(kGreyLevels - 1 + t)] = last;
        slopes[static_cast<std::size_t>(kGreyLevels - 2 - t)] = -last;
    }
    return slopes;
}

}  // namespace restore
