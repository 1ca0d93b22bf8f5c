// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/record.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

Imbalance imbalance_of(std::span<const double> times) noexcept {
    Imbalance result;
    if (times.empty()) return result;
    const bool sane =
        std::all_of(times.begin(), times.end(), [](double time) { return std::isfinite(time) && time >= 0; });
    const auto [min, max] = std::minmax_element(times.begin(), times.end());
    // Equal times would leave rounding errors of the mean to be standardised.
    if (!sane || *max <= 0 || *min == *max) {
        return result;
    }
    // Times as fractions of the longest: no unit can make the sums overflow or vanish.
    const double count = static_cast<double>(times.size());
    const double scale = *max;
    double mean = 0;
    for (const double time : times) mean += time / scale;
    mean /= count;
    double variance = 0;
    for (const double time : times) variance += (time / scale - mean) * (time / scale - mean);
    variance /= count;
    const double sd = std::sqrt(variance);
    for (const double time : times) {
        const double deviation = (time / scale - mean) / sd;
        const double cube = deviation * deviation * deviation;
        result.skewness += cube / count;
        result.kurtosis += cube * deviation / count;
    }
    result.kurtosis -= 3;  // eq. 2.5: the excess over a normal distribution
    result.percent_imbalance = 1 / mean - 1;
    result.lost = 1 - mean;
    result.cov = sd / mean;
    result.sd = sd * scale;
    return result;
}

}  // namespace gimbal
