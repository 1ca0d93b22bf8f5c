// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "experiment/application.hpp"
#include "levels/pair_learner.hpp"
#include "measure/cost_profile.hpp"
#include "measure/fine_costs.hpp"
#include "select/portfolio.hpp"
#include "simulate/nested_loop.hpp"

namespace gimbal::simulate {

/// One loop of an application on ranks of threads, and what both levels can run it as. A tick is a nanosecond.
struct PairExperiment {
    Application* application = nullptr;  ///< its first loop counts; its number of workers does not
    NestedMachine machine;
    Portfolio ranks, threads;  ///< what there is to choose from
    double step_noise = 0;     ///< relative deviation of the time of a step: the machine is faster and slower
    std::uint64_t seed = 0;    ///< of the noise

    [[nodiscard]] levels::PairTable table() const noexcept {
        return {static_cast<std::uint32_t>(ranks.size()), static_cast<std::uint32_t>(threads.size())};
    }
    [[nodiscard]] NestedSchedule choice(levels::Pair pair) const { return {ranks[pair.ranks], threads[pair.threads]}; }
    /// Factor on every time in a step: a function of seed and step, whatever runs.
    [[nodiscard]] double noise(std::uint64_t step) const noexcept;
};

/// What pairs take without noise: simulated once for each frame of the application.
/// @threads one at a time
class PairTimes {
public:
    explicit PairTimes(const PairExperiment& experiment) : experiment_(&experiment) {}

    /// @return valid until the next call  @errors std::bad_alloc  @cost a nested execution, once for each frame
    const NestedOutcome& outcome(levels::Pair pair, std::uint64_t step);

    /// The time of a step that changes the pair: its ranks draw no more from `limit` on, and when they are through, the
    /// rest of the loop runs as `rest`. @return [ticks]  @cost two nested executions, where the limit is reached
    double stopped(levels::Pair pair, double limit, levels::Pair rest, std::uint64_t step);

    /// The pair that takes the least over all steps, the same in each. Pairs that take more than 1.25 times the least
    /// in eight steps, which lie evenly, are not looked at further.
    [[nodiscard]] levels::Pair best_fixed();

    /// Total of one pair over all steps, with the noise [ticks].
    [[nodiscard]] double total(levels::Pair pair);

private:
    NestedOutcome run(levels::Pair pair, Range part, std::uint64_t step, double limit);

    const PairExperiment* experiment_;
    NestedLoop loop_;
    std::map<std::pair<std::uint64_t, std::size_t>, NestedOutcome> known_;  // by frame and pair
};

/// What a running program could know of its loop, for predictions: a cost profile from chunks that were timed in a few
/// steps, each with an error, and costs of drawing that were measured with one. Predictions are made in the background
/// on half a per cent of the processors, and are there when that has been enough.
/// @threads one at a time
class VirtualModel {
public:
    /// @param error  relative deviation of each measurement
    VirtualModel(const PairExperiment& experiment, double error);

    /// Whether this step is to be measured: the first three, one in 16, one before each prediction, and the first of
    /// each pair, which cuts the loop at other places.
    [[nodiscard]] bool measures(levels::Pair pair, std::uint64_t step) const noexcept {
        return step < 3 || step % 16 == 0 || asked_ || !cut_[experiment_->table().index(pair)];
    }
    /// Time the chunks of a step. @return what that takes of the step [ticks]  @errors std::bad_alloc
    double measure(levels::Pair pair, std::uint64_t step);
    /// A levels::PairPredictor. @errors std::bad_alloc
    bool predict(levels::Pair incumbent, std::span<double> times);
    /// The step took so long.
    void pass(double time, bool measured) noexcept {
        now_ += time;
        fresh_ = measured;
    }

    [[nodiscard]] std::uint64_t predictions() const noexcept { return predictions_; }
    /// Processor time of all predictions, at 50 ns a chunk [s].
    [[nodiscard]] double spent_s() const noexcept { return spent_s_; }

private:
    const PairExperiment* experiment_;
    double error_;
    NestedMachine measured_;
    NestedLoop loop_;
    ChunkCosts costs_;
    CostProfile profile_;
    FineCosts fine_;
    std::vector<bool> cut_;       // [pairs] were measured
    std::vector<double> answer_;  // that is being computed; empty: none
    bool asked_ = true;           // for a prediction, since the last measurement
    bool fresh_ = false;          // the last step was measured
    double ready_at_ = 0;         // [ticks]
    double now_ = 0;              // [ticks]
    std::uint64_t predictions_ = 0;
    double spent_s_ = 0;
};

/// What a learner made of an experiment.
struct PairTotals {
    double total = 0;                  ///< of all steps, with all that the learner cost [ticks]
    double measuring = 0;              ///< part of that: to measure what iterations cost [ticks]
    std::uint64_t trials = 0;          ///< steps [count]
    std::uint64_t stopped = 0;         ///< trials that reached their limit [count]
    std::uint64_t moves = 0;           ///< changes of the pair [count]
    levels::Pair last;                 ///< that ran in the last step
    std::vector<std::uint64_t> steps;  ///< [pairs] as which each ran [count]
    std::vector<double> times;         ///< [steps] [ticks]
};

/// Run all steps as a learner says.
/// @param model  what the learner predicts with: it is shown what happens; nullptr: none
/// @errors std::bad_alloc, what the learner throws
PairTotals run_pairs(const PairExperiment& experiment, PairTimes& times, levels::PairLearner& learner,
                     VirtualModel* model = nullptr);

}  // namespace gimbal::simulate
