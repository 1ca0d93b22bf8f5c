// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "select/portfolio_selector.hpp"
#include "select/retry_trigger.hpp"

namespace gimbal {

/// `binary`: steps through a portfolio that goes from plain to adaptive. It begins at the first choice and goes right;
/// then right if the imbalance got worse and left if not, each time half as far, beginning with the whole portfolio.
/// When the step is used up, the fastest choice that it met stays; all over again when the imbalance has risen.
///
/// A choice runs until one of its executions has shown something, so those that overlap repeat it.
/// @threads the owner locks  @cost O(1)
/// @source Mohammed et al. 2022 (Auto4OMP's BinarySel, which stays where it ends); test:
/// tests/unit/select/binary_test.cpp
class BinarySelector final : public PortfolioSelector {
public:
    using PortfolioSelector::PortfolioSelector;

private:
    void begin(const LoopContext&) override { search(); }
    learn::Pick pick() override { return {.action = current(), .exploring = searching_, .number = search_}; }
    void observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) override;
    [[nodiscard]] std::uint32_t current() const override { return searching_ ? place_ : best_; }
    void search() noexcept;
    void go(bool right) noexcept;

    std::uint32_t place_ = 0;
    std::uint32_t step_ = 0;
    std::uint64_t search_ = 0;  // results of an earlier one do not count
    bool searching_ = false;
    bool first_ = true;  // nothing to compare the imbalance with
    double last_imbalance_ = 0;
    std::uint32_t best_ = 0;
    double best_time_ = 0;  // per iteration [ticks]; 0: nothing measured
    double best_imbalance_ = 0;
    RetryTrigger watch_;
};

}  // namespace gimbal
