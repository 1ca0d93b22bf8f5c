// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gimbal/options.hpp"
#include "learn/parameters.hpp"
#include "select/portfolio_selector.hpp"

namespace gimbal {

/// What GIMBAL_RL_* say, for an agent of that name. Words that mean nothing (options() has refused them) count as not
/// given.
/// @errors none  @threads any
[[nodiscard]] learn::Parameters agent_parameters(const SelectorSettings& settings, std::string_view agent) noexcept;

/// `rl`: an agent, its policy and its reward choose from a portfolio; every execution that counts is one step. No
/// execution is left out at the beginning, so that K^2 steps of explore-first are the first K^2 executions.
///
/// Instructions are not counted yet: the reward `ips` goes by iterations per second, and says so once.
/// @threads the owner locks  @cost that of the learner; with moments as rewards O(P) on top
/// @source seed 000, section 4; test: tests/unit/select/agent_test.cpp
class AgentSelector : public PortfolioSelector {
public:
    /// @param seed  of everything random
    AgentSelector(Setup setup, const learn::Parameters& parameters, std::uint64_t seed);

    [[nodiscard]] std::optional<learn::Thought> thought() const override;

protected:
    void begin(const LoopContext& context) override;

private:
    learn::Pick pick() override { return learner_->next(); }
    void observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) override;
    [[nodiscard]] std::uint32_t current() const override { return learner_->best(); }

    learn::Parameters parameters_;
    std::uint64_t seed_;
    std::unique_ptr<learn::Learner> learner_;
    std::vector<double> times_s_;  // [P] of the workers, for moments
};

/// `chunk`: the seed's ChunkParameterSelector. The portfolio is N / P, N / 2P, N / 4P, ... of the first execution, as
/// the chunk of `ss`, or as the minimum chunk of the technique that the user named.
///
/// When N has changed by more than a factor of two, the chunks are cut anew from it, as many as before: what was learnt
/// is about parts of N / P, and no chunk may be longer than a worker's share. Smaller changes leave them as they are,
/// so that plans last.
/// @source seed 000, section 4.5; test: tests/unit/select/agent_test.cpp
class ChunkAgentSelector final : public AgentSelector {
public:
    /// @param base   technique, and static fraction if it has one, whose chunk is chosen; its own chunk does not matter
    /// @param setup  its portfolio does not matter
    ChunkAgentSelector(const Schedule& base, Setup setup, const learn::Parameters& parameters, std::uint64_t seed);

private:
    void begin(const LoopContext& context) override;
    [[nodiscard]] Schedule choice_at(std::uint32_t place, const LoopContext& context) override;

    Schedule base_;
    std::uint64_t cut_for_ = 0;  // N that the chunks come from [iterations]
    std::vector<std::uint64_t> chunks_;
};

}  // namespace gimbal
