// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "gimbal/options.hpp"
#include "levels/coordinator.hpp"
#include "levels/level_agent.hpp"
#include "levels/pair_prediction.hpp"
#include "select/selector.hpp"

namespace gimbal::levels {

/// A learner of pairs, the coordinator or an agent (`levels`), as the selector of a loop over ranks: it decides what
/// the ranks run, and with it what the threads run that share out the chunks (Decision::within). Until ranks have such
/// threads, and they do what they are told, another selector decides for the ranks alone.
///
/// Executions are decided before the one before them has been learnt from. So a turn of the coordinator lasts until one
/// of its executions has been learnt from, mostly two; each runs as that turn says from its beginning to its end, and
/// counts.
/// @threads the owner locks
/// @source docs/decisions/0032-levels-at-run-time.md; test: tests/unit/levels/pair_selector_test.cpp
class PairSelector final : public Selector {
public:
    /// @param alone     decides until there is something to coordinate
    /// @param settings  outlives this. Named `levels`, an agent decides instead of the coordinator, at both levels
    ///                  among its portfolio, whose chunks count for the ranks alone
    PairSelector(std::unique_ptr<Selector> alone, std::uint64_t seed, const SelectorSettings& settings);
    ~PairSelector() override;

    [[nodiscard]] Decision choose(const LoopContext& context) override;
    void learn(const Decision& decision, const LoopRecord& record, const LoopContext& context) override;
    [[nodiscard]] std::optional<Alternative> alternative() const override;
    [[nodiscard]] std::optional<learn::Thought> thought() const override;

    /// nullptr: there is nothing to coordinate, or an agent decides.
    [[nodiscard]] const Coordinator* coordinator() const noexcept { return coordinator_; }

private:
    struct Answer;

    void begin(const LoopContext& context);
    void begin_agent(const LoopContext& context);
    void give_up();
    void follow_changes();
    void learn_from(const PairTurn& turn, const PairRecord& seen, std::uint64_t moves);
    [[nodiscard]] bool predict(Pair incumbent, std::span<double> times);
    [[nodiscard]] bool affordable(const LoopContext& context) const noexcept;
    void ask(Pair incumbent, const LoopContext& context);
    [[nodiscard]] bool wants_costs(const LoopContext& context) const noexcept;
    [[nodiscard]] Decision decision_for_turn(const LoopContext& context) const;

    std::unique_ptr<Selector> alone_;
    std::uint64_t seed_;
    const SelectorSettings& settings_;
    bool given_up_ = false;

    Portfolio ranks_, threads_;
    std::unique_ptr<PairLearner> learner_;  // one of the next two; nullptr: another selector decides
    Coordinator* coordinator_ = nullptr;
    LevelAgent* agent_ = nullptr;
    std::uint64_t iterations_ = 0;          // N that its times are for
    const LoopContext* context_ = nullptr;  // while a turn is being decided
    std::shared_ptr<Answer> answer_;        // under way
    double cost_s_ = 0;                     // of a prediction
    double worked_s_ = 0;                   // processor time in the loop since the model was asked last
    std::uint64_t versions_ = 0;            // of the profile when the last search began
    std::uint64_t reopened_ = 0;            // searches so far
    std::uint64_t steps_ = 0;               // executions decided
    std::uint64_t sampled_at_ = 0;          // step
    std::uint64_t measured_ = 0;            // executions that were, since the last search began
    std::uint64_t moves_ = 0;               // of threads by placement, when it learnt last
    unsigned dropped_in_a_row_ = 0;         // executions that an agent did not learn from

    std::uint32_t threads_per_rank_ = 1;
    double thread_balance_ = 1;  // in the last execution that is known of
    PairTurn turn_, turn_before_;
    std::uint64_t turn_number_ = 0;  // 0: none
    std::uint64_t asked_ = 0;        // executions of this turn
    bool model_ = true;              // from one of them
};

}  // namespace gimbal::levels
