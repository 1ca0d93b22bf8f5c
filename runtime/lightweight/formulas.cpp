// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/formulas.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

namespace {

/// x in [0, 1]; `otherwise` for what is not a number.
double fraction_of(double x, double otherwise) noexcept {
    return std::isnan(x) ? otherwise : std::clamp(x, 0.0, 1.0);
}

/// A length of time: x, or 0 for what is negative, infinite or not a number.
double length_of(double x) noexcept {
    return std::isfinite(x) && x > 0 ? x : 0;
}

}  // namespace

double RegionModel::ideal_time() const noexcept {
    return workers > 0 ? length_of(length_of(iterations) / workers * length_of(iteration_time)) : 0;
}

double RegionModel::dequeue_time() const noexcept {
    return workers > 0 ? length_of(length_of(iterations) / workers * length_of(dequeue)) : 0;
}

double dynamic_fraction(const RegionModel& region, double delay, FractionForm form) noexcept {
    if (std::isnan(delay) || delay <= 0 || !(region.workers > 1)) return 0;
    const double length = region.ideal_time() + region.dequeue_time();
    const double published = fraction_of(delay / length, 1);
    if (form == FractionForm::paper) return published;
    // In an unbounded team everybody else can help; inf / inf would not say so.
    const double helpers = std::isinf(region.workers) ? 1 : (region.workers - 1) / region.workers;
    return fraction_of(delay / length * helpers, 1);
}

double slack_dynamic_fraction(const RegionModel& region, double base_dynamic, double slack, SlackForm form) noexcept {
    const double base = fraction_of(base_dynamic, 1);
    if (std::isnan(slack) || slack <= 0) return base;
    double scale = region.ideal_time();
    if (form == SlackForm::paper) scale = (region.workers - 1) * scale - region.workers * region.dequeue_time();
    // Not positive: dequeues cost more than (p - 1) workers that wait; the formula has nothing to say then.
    if (!(scale > 0) || std::isinf(scale)) return base;
    return std::clamp(base - slack / scale, 0.0, base);
}

double rebased_slack(const RegionModel& region, double measured, double base_dynamic, double used_dynamic) noexcept {
    const double base = fraction_of(base_dynamic, 1);
    const double saved = base - std::min(base, fraction_of(used_dynamic, base));
    return length_of(measured - saved * region.dequeue_time());
}

double ipdps_bound(double delay_max, double delay_mean, double ideal_time) noexcept {
    const double excess = delay_max - delay_mean;
    if (std::isnan(excess) || excess <= 0) return 1;
    return 1 - fraction_of(excess / length_of(ideal_time), 1);
}

double application_delay(double t_static, double t_dynamic, double t_overhead, DelayForm form) noexcept {
    const double overhead = length_of(t_overhead);
    return length_of(t_static - t_dynamic + (form == DelayForm::derived ? overhead : -overhead));
}

}  // namespace gimbal
