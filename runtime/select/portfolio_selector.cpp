// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/portfolio_selector.hpp"

#include <utility>

namespace gimbal {

namespace {

constexpr std::uint64_t kMinIterations = 2;

}  // namespace

PortfolioSelector::PortfolioSelector(Setup setup) : setup_(std::move(setup)) {}

Schedule PortfolioSelector::choice_at(std::uint32_t place, const LoopContext& context) {
    if (!setup_.golden_chunk) return at(place);
    return with_golden_chunk(at(place), context.iterations, context.workers);
}

Decision PortfolioSelector::choose(const LoopContext& context) {
    Decision decision;
    decision.reason = setup_.reason;
    if (context.iterations < kMinIterations) {
        decision.named = true;
        decision.schedule = begun_ ? choice_at(current(), context) : Schedule{find_technique("static")};
        return decision;
    }
    if (!begun_) {
        if (context.monotonic) setup_.portfolio = monotonic_only(setup_.portfolio);
        begin(context);
        begun_ = true;
    }
    if (setup_.skips_first && !skipped_) {
        skipped_ = true;
        decision.named = true;
        decision.schedule = choice_at(current(), context);
        return decision;
    }
    const learn::Pick picked = pick();
    decision.schedule = choice_at(picked.action, context);
    decision.exploring = picked.exploring;
    decision.state = picked.state;
    decision.index = picked.action;
    decision.number = picked.number;
    return decision;
}

void PortfolioSelector::learn(const Decision& decision, const LoopRecord& record, const LoopContext& context) {
    if (!begun_ || decision.named || decision.index >= size()) return;
    if (record.iterations < kMinIterations || !(record.loop_time > 0)) return;
    observe({decision.state, decision.index, decision.exploring, decision.number}, record, context);
}

}  // namespace gimbal
