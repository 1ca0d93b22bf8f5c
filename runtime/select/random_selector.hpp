// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/random.hpp"
#include "select/portfolio_selector.hpp"

namespace gimbal {

/// `random`: Auto4OMP's RandomSel. The more unbalanced the last execution was, the likelier is a jump to a choice drawn
/// uniformly from the portfolio: with probability 10 LB. It starts at a random choice, and one that balances stays.
/// @threads the owner locks  @cost two random numbers
/// @source Mohammed et al. 2022 (Auto4OMP); test: tests/unit/select/random_test.cpp
class RandomSelector final : public PortfolioSelector {
public:
    RandomSelector(Setup setup, std::uint64_t seed) : PortfolioSelector(std::move(setup)), random_(seed) {}

private:
    static constexpr double kJumps = 10;  // per unit of imbalance

    void begin(const LoopContext&) override { jump(); }
    learn::Pick pick() override {
        if (kJumps * imbalance_ > random_.unit()) jump();
        return {.action = place_};
    }
    void observe(const learn::Pick&, const LoopRecord& record, const LoopContext& context) override {
        imbalance_ = load_imbalance(record, context.workers);
    }
    [[nodiscard]] std::uint32_t current() const override { return place_; }
    void jump() noexcept { place_ = static_cast<std::uint32_t>(random_.between(0, size() - 1)); }

    Random random_;
    std::uint32_t place_ = 0;
    double imbalance_ = 0;  // of the last execution that counted
};

}  // namespace gimbal
