// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "select/portfolio_selector.hpp"
#include "select/retry_trigger.hpp"

namespace gimbal {

/// `exhaustive`: every choice once, in order, then the fastest per iteration; all over again when the imbalance has
/// risen (RetryTrigger). What an execution showed counts for the choice that ran, whenever it comes; a choice that
/// nothing was heard of gets two more executions before it is given up.
/// @threads the owner locks  @cost O(K) while searching
/// @source Mohammed et al. 2022 (Auto4OMP's ExhaustiveSel); test: tests/unit/select/exhaustive_test.cpp
class ExhaustiveSelector final : public PortfolioSelector {
public:
    using PortfolioSelector::PortfolioSelector;

private:
    static constexpr unsigned kMaxTries = 3;

    struct Arm {
        double time = 0;  // per iteration [ticks]; 0: not measured
        double imbalance = 0;
        unsigned tries = 0;
    };

    void begin(const LoopContext& context) override;
    learn::Pick pick() override;
    void observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) override;
    [[nodiscard]] std::uint32_t current() const override { return best_; }
    void search();

    std::vector<Arm> arms_;
    std::uint64_t sweep_ = 0;  // results of an earlier one do not count
    std::uint32_t best_ = 0;
    bool searching_ = false;
    RetryTrigger watch_;
};

}  // namespace gimbal
