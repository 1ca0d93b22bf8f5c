// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "learn/action_times.hpp"
#include "learn/learner.hpp"
#include "levels/pair_learner.hpp"

namespace gimbal::levels {

/// `levels`: an agent decides for both levels. An action gives one level a technique, so one level changes at a time;
/// the state is the pair in force and which loss dominates, that between ranks or that within them. Rewards that go by
/// balance see that of the level that was changed, all others the whole step.
///
/// It has no model. What it explores ends at twice the time of the fastest pair so far, and the rest of that step runs
/// as that pair.
/// @threads one at a time  @cost that of the learner, and O(pairs) to find the fastest
/// @source ours, after seed 000; test: tests/unit/levels/level_agent_test.cpp
class LevelAgent final : public PairLearner {
public:
    /// @param first   the pair that is in force at first
    /// @param tick_s  length of a tick [s], > 0
    /// @errors std::bad_alloc
    LevelAgent(const PairTable& table, Pair first, const learn::Parameters& parameters, std::uint64_t seed,
               double tick_s);

    [[nodiscard]] PairTurn next() override;
    void learn(const PairTurn& turn, const PairRecord& record) override;

    /// The last step that was learnt from; its state is 2 x pair + (the loss within ranks dominates), its action a
    /// technique of the ranks or, after these, of the threads.
    [[nodiscard]] learn::Thought thought() const noexcept { return learner_->thought(); }
    /// The pair with the least mean time so far. @pre a step has been learnt from
    [[nodiscard]] Pair fastest() const noexcept;

private:
    static constexpr std::size_t kInFlight = 8;  // turns whose picks are remembered

    [[nodiscard]] std::uint32_t state_of(Pair pair, bool within) const noexcept {
        return static_cast<std::uint32_t>(2 * table_.index(pair)) + (within ? 1 : 0);
    }

    PairTable table_;
    double tick_s_;
    Pair force_;                // the pair in force
    bool within_ = false;       // threads lose more than ranks do, in the last step that was learnt from
    learn::ActionTimes times_;  // [pairs] [ticks]
    std::uint64_t number_ = 0;  // turns so far
    std::array<learn::Pick, kInFlight> picks_;
    std::unique_ptr<learn::Learner> learner_;
};

}  // namespace gimbal::levels
