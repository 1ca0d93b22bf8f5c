// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "select/portfolio.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// What selectors over a portfolio have in common. A loop with ascending chunks gets the choices that it can have, by
/// its first execution; golden chunks are put in where they are wanted; executions of fewer than two iterations are
/// run, but nothing is learnt from them.
/// @threads the owner locks
class PortfolioSelector : public Selector {
public:
    struct Setup {
        Portfolio portfolio = {};   ///< not empty
        bool golden_chunk = false;  ///< choices without a chunk get Auto4OMP's
        std::string_view reason;    ///< a string literal
        bool skips_first = true;    ///< cold caches and fresh pages: the first execution does not count
    };
    explicit PortfolioSelector(Setup setup);

    [[nodiscard]] Decision choose(const LoopContext& context) final;
    void learn(const Decision& decision, const LoopRecord& record, const LoopContext& context) final;

protected:
    /// Before the first pick, when it is known what there is to choose from.
    virtual void begin(const LoopContext& context) = 0;
    /// The next choice, by its place. Its state and number come back to observe() as they are.
    [[nodiscard]] virtual learn::Pick pick() = 0;
    virtual void observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) = 0;
    /// What would run if nothing were to be learnt.
    [[nodiscard]] virtual std::uint32_t current() const = 0;
    /// The choice of that place, for this execution.
    [[nodiscard]] virtual Schedule choice_at(std::uint32_t place, const LoopContext& context);

    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(setup_.portfolio.size()); }
    [[nodiscard]] const Schedule& at(std::uint32_t place) const noexcept { return setup_.portfolio[place]; }
    /// To be called in begin() only.
    void replace(Portfolio portfolio) { setup_.portfolio = std::move(portfolio); }

private:
    Setup setup_;
    bool begun_ = false;
    bool skipped_ = false;
};

/// Seconds or ticks per iteration, so that executions of different lengths compare. @pre iterations > 0
[[nodiscard]] inline double time_per_iteration(const LoopRecord& record) noexcept {
    return record.loop_time / static_cast<double>(record.iterations);
}

/// LB of Auto4OMP, (max - mean) / max * P / (P - 1): 0 if all are equal, 1 if a single worker did everything.
/// @source LB4OMP, with a P / (P - 1) that is not rounded to an integer; test: tests/unit/select/expert_test.cpp
[[nodiscard]] inline double load_imbalance(const LoopRecord& record, std::uint32_t workers) noexcept {
    if (workers < 2 || !(record.busy_max > 0)) return 0;
    const double p = workers;
    return (record.busy_max - record.busy_mean) / record.busy_max * p / (p - 1);
}

}  // namespace gimbal
