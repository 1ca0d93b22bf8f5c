// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "select/portfolio_selector.hpp"

namespace gimbal {

/// `expert`: Auto4OMP's ExpertSel (fuzzy_rules.hpp). The first execution runs the first choice; what it showed says
/// where to begin, and every later one how far to go, and in which direction. Portfolios of other sizes than twelve
/// are gone through in proportion.
///
/// Only executions of the choice in force move it, so those that overlap and come late change nothing.
/// @threads the owner locks  @cost O(1)
/// @source Mohammed et al. 2022; test: tests/unit/select/expert_test.cpp
class ExpertSelector final : public PortfolioSelector {
public:
    using PortfolioSelector::PortfolioSelector;

private:
    void begin(const LoopContext&) override {}
    learn::Pick pick() override { return {.action = place_, .number = moves_}; }
    void observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) override;
    [[nodiscard]] std::uint32_t current() const override { return place_; }

    std::uint32_t place_ = 0;
    std::uint64_t moves_ = 0;    // results of the time before the last one do not count
    double last_time_ = 0;       // per iteration [ticks]; 0: none yet
    double last_imbalance_ = 0;  // [%]
};

}  // namespace gimbal
