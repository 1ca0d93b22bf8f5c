// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/fuzzy_rules.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal::expert {

namespace {

/// 0 up to `low`, 1 from `high` on.
double rising(double x, double low, double high) noexcept {
    return std::clamp((x - low) / (high - low), 0.0, 1.0);
}

/// 1 up to `low`, 0 from `high` on.
double falling(double x, double low, double high) noexcept {
    return 1 - rising(x, low, high);
}

/// How far a figure is low, moderate and high; a loop time short, medium and long.
struct Degrees {
    double low, moderate, high;
};

Degrees degrees_of_time(double s) noexcept {
    return {falling(s, 0.01, 0.03), std::min(rising(s, 0, 0.1), falling(s, 1, 10)), rising(s, 1, 10)};
}

Degrees degrees_of_imbalance(double percent) noexcept {
    return {falling(percent, 1, 2), std::min(rising(percent, 1, 2), falling(percent, 4, 5)), rising(percent, 4, 10)};
}

/// Of a quantity that had better be small.
struct Change {
    double none, improved, degraded;
};

Change change_of_time(double percent) noexcept {
    return {falling(std::abs(percent), 0.5, 1), rising(-percent, 0.5, 3), rising(percent, 0.5, 3)};
}

Change change_of_imbalance(double points) noexcept {
    return {falling(std::abs(points), 1.5, 3), rising(-points, 0, 3), rising(points, 0, 3)};
}

}  // namespace

double first_choice(double time_s, double imbalance) noexcept {
    const Degrees time = degrees_of_time(time_s);
    const Degrees lb = degrees_of_imbalance(imbalance);
    const double simple = 0.75 * std::max(time.low, lb.low);
    const double moderate = 3.75 * std::max({std::min(time.moderate, lb.high), std::min(time.moderate, lb.moderate),
                                             std::min(time.high, lb.moderate)});
    const double aggressive = 8.5 * std::min(time.high, lb.high);
    const double sum = simple + moderate + aggressive;
    if (!(sum > 0)) return 0;
    const double place = 14 * aggressive / sum + 3 * moderate / sum + (1 - simple / sum);
    return std::clamp(std::floor(place), 0.0, kLastChoice);
}

double next_step(double time_s, double imbalance, double time_change, double imbalance_change) noexcept {
    const Degrees time = degrees_of_time(time_s);
    const Degrees lb = degrees_of_imbalance(imbalance);
    const Change dt = change_of_time(time_change);
    const Change dlb = change_of_imbalance(imbalance_change);
    const double same = 1.5 * std::max({std::min(dt.none, dlb.none), lb.low, dt.improved});
    const double more = 2.75 * std::max({std::min(lb.high, time.high), std::min(dt.degraded, dlb.degraded),
                                         std::min(dt.none, dlb.degraded)});
    const double less = 2.75 * std::max({std::min(dt.degraded, dlb.improved), std::min(dt.degraded, dlb.none),
                                         std::min(dt.none, dlb.improved), time.low, std::min(dt.degraded, lb.low)});
    const double sum = same + more + less;
    return sum > 0 ? 4 * (more - less) / sum : 0;
}

}  // namespace gimbal::expert
