// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/slack.hpp"

#include <algorithm>
#include <atomic>

namespace gimbal {

namespace {

std::atomic<SlackProvider*> registered{nullptr};

}  // namespace

void set_slack_provider(SlackProvider* provider) noexcept {
    // Pairs with the load below: a thread that sees the provider sees it constructed.
    registered.store(provider, std::memory_order_release);
}

double slack_adjusted_fraction(double base_static_fraction, const RegionModel& region, SlackForm form) noexcept {
    const double base = base_static_fraction > 0 ? std::min(base_static_fraction, 1.0) : 0;
    SlackProvider* const provider = registered.load(std::memory_order_acquire);
    const std::optional<double> slack = provider ? provider->slack() : std::nullopt;
    if (!slack) return base;
    const double dynamic = slack_dynamic_fraction(region, 1 - base, *slack, form);
    // 1 - (1 - base) need not be base to the last bit; without a change nothing may change.
    return dynamic < 1 - base ? 1 - dynamic : base;
}

}  // namespace gimbal
