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

struct LoopTime {
    explicit LoopTime(double s) noexcept
        : is_short(falling(s, 0.01, 0.03)),
          medium(std::min(rising(s, 0, 0.1), falling(s, 1, 10))),
          is_long(rising(s, 1, 10)) {}
    double is_short, medium, is_long;
};

struct Unbalanced {
    explicit Unbalanced(double percent) noexcept
        : low(falling(percent, 1, 2)),
          moderate(std::min(rising(percent, 1, 2), falling(percent, 4, 5))),
          high(rising(percent, 4, 10)) {}
    double low, moderate, high;
};

/// Of a quantity that had better be small.
struct Change {
    double none, improved, degraded;
};

Change of_time(double percent) noexcept {
    return {falling(std::abs(percent), 0.5, 1), rising(-percent, 0.5, 3), rising(percent, 0.5, 3)};
}

Change of_imbalance(double points) noexcept {
    return {falling(std::abs(points), 1.5, 3), rising(-points, 0, 3), rising(points, 0, 3)};
}

}  // namespace

double first_choice(double time_s, double imbalance) noexcept {
    const LoopTime time(time_s);
    const Unbalanced lb(imbalance);
    const double simple = 0.75 * std::max(time.is_short, lb.low);
    const double moderate = 3.75 * std::max({std::min(time.medium, lb.high), std::min(time.medium, lb.moderate),
                                             std::min(time.is_long, lb.moderate)});
    const double aggressive = 8.5 * std::min(time.is_long, lb.high);
    const double sum = simple + moderate + aggressive;
    if (!(sum > 0)) return 0;
    const double place = 14 * aggressive / sum + 3 * moderate / sum + (1 - simple / sum);
    return std::clamp(std::floor(place), 0.0, kLastChoice);
}

double next_step(double time_s, double imbalance, double time_change, double imbalance_change) noexcept {
    const LoopTime time(time_s);
    const Unbalanced lb(imbalance);
    const Change dt = of_time(time_change);
    const Change dlb = of_imbalance(imbalance_change);
    const double same = 1.5 * std::max({std::min(dt.none, dlb.none), lb.low, dt.improved});
    const double more = 2.75 * std::max({std::min(lb.high, time.is_long), std::min(dt.degraded, dlb.degraded),
                                         std::min(dt.none, dlb.degraded)});
    const double less =
        2.75 * std::max({std::min(dt.degraded, dlb.improved), std::min(dt.degraded, dlb.none),
                         std::min(dt.none, dlb.improved), time.is_short, std::min(dt.degraded, lb.low)});
    const double sum = same + more + less;
    return sum > 0 ? 4 * (more - less) / sum : 0;
}

}  // namespace gimbal::expert
