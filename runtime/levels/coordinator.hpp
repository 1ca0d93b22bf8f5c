// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "levels/pair_beliefs.hpp"
#include "levels/pair_learner.hpp"

namespace gimbal::levels {

/// Says how long every pair would take. Called at each step while a prediction is wanted.
/// @param incumbent  its time must be finite
/// @param times      [pairs] out, > 0, in any unit; infinite: hopeless
/// @return false: not ready yet, nothing counts
using PairPredictor = std::function<bool(Pair incumbent, std::span<double> times)>;

/// `coordinated`: decides for both levels together. A model predicts every pair; at most four are kept and tried twice
/// each, between steps of the incumbent. From one step to the next one level changes at most: a pair that differs in
/// both is reached by way of a third one. A trial ends at twice the incumbent's time, and the rest of that step runs as
/// the incumbent; it is repeated once. A pair becomes the incumbent when it is better by two standard errors of what
/// prediction and trials say together, and trials alone say the same; until that is settled, a pair that is believed to
/// be better runs in three of four steps. When the incumbent's time changes, everything is asked anew; when nothing
/// does, the model is asked again after 32, 64, ... steps, and pairs that it finds better are tried, and the incumbent
/// before this one.
/// @threads one at a time
/// @source derived; facts in docs/decisions/0031-pairs.md; test: tests/unit/levels/coordinator_test.cpp
class Coordinator final : public PairLearner {
public:
    /// @param first  what runs until the predictor has answered
    /// @errors std::bad_alloc
    Coordinator(const PairTable& table, Pair first, PairPredictor predictor);

    [[nodiscard]] PairTurn next() override;
    void learn(const PairTurn& turn, const PairRecord& record) override;

    /// Somebody else has changed a level: what is running now does not count, and after a change of placement neither
    /// do the next two steps. One step in five counts in any case: where placement never rests, what is measured in
    /// between is all there is.
    void note_change(Level level) noexcept;

    [[nodiscard]] Pair incumbent() const noexcept { return table_.pair(beliefs_.incumbent()); }
    /// Pairs that are being tried, the best prediction first.
    [[nodiscard]] std::span<const std::size_t> kept() const noexcept { return kept_; }
    [[nodiscard]] bool settled() const noexcept { return phase_ == Phase::settled; }
    /// Records that were dropped because a level changed meanwhile [count].
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
    /// How often the incumbent's time changed so much that everything was asked anew [count].
    [[nodiscard]] std::uint64_t reopened() const noexcept { return reopened_; }
    [[nodiscard]] const PairBeliefs& beliefs() const noexcept { return beliefs_; }

private:
    enum class Phase : std::uint8_t { waiting, trying, settled };

    void ask_model();
    void keep();
    void keep_previous();
    [[nodiscard]] bool is_tried_enough(std::size_t pair) const noexcept;
    void promote_the_sure();
    void settle();
    void reopen();
    void learn_incumbent(double time);
    [[nodiscard]] std::size_t target();
    [[nodiscard]] Pair towards(Pair goal) const noexcept;

    PairTable table_;
    PairPredictor predictor_;
    PairBeliefs beliefs_;
    std::vector<double> times_;      // [pairs] scratch
    std::vector<std::size_t> kept_;  // at most four
    std::size_t goal_;               // the pair that the last step was for
    std::size_t previous_;           // incumbent before this one; this one: there was none
    Phase phase_ = Phase::waiting;
    bool asks_model_ = true;
    bool changed_ = true;            // the loop, since the model was asked last
    bool searching_ = false;         // what is tried has been kept after a change
    std::vector<char> tried_ranks_;  // [techniques of the ranks] whether a pair has been kept since the change
    std::uint64_t until_ask_ = 0;    // steps; while settled
    std::uint64_t ask_every_ = 0;    // steps
    unsigned incumbent_run_ = 0;     // steps of the incumbent since the last other one
    unsigned challenger_run_ = 0;    // the other way round
    unsigned surprises_ = 0;         // steps of the incumbent in a row that were far off
    double settled_reference_ = 0;   // log time
    unsigned tainted_ = 0;           // steps to come that do not count
    unsigned dropped_in_a_row_ = 0;  // steps
    Pair running_;                   // in the last step
    std::uint64_t epoch_ = 0;        // changes of a level by others
    std::uint64_t dropped_ = 0;
    std::uint64_t reopened_ = 0;
};

}  // namespace gimbal::levels
