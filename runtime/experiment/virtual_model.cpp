// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "experiment/pair_experiment.hpp"
#include "experiment/virtual_loop.hpp"
#include "levels/pair_prediction.hpp"
#include "simulate/chance.hpp"
#include "simulate/work.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kBackgroundPart = 0.005;  // of all processors (select/background)
constexpr double kTick_s = 1e-9;
constexpr double kVanished = 0.1;  // of the profile, in one execution

/// Work that is timed chunk by chunk, with an error. A chunk's time has its draw in it, as on a real clock.
class TimedWork final : public Work {
public:
    using Work::time;
    struct Clock {
        double dispatch = 0;  // [ticks]
        double noise = 1;     // of the step
        double error = 0;     // relative deviation of each chunk
        std::uint64_t seed = 0;
    };
    TimedWork(const Work& work, const Clock& clock, ChunkCosts& costs, FineCosts& fine) noexcept
        : work_(&work), clock_(clock), costs_(&costs), fine_(&fine) {}

    [[nodiscard]] double time(Range range) const noexcept override {
        const double took = work_->time(range);
        const double strays = clock_.error * bell_of(random_bits(clock_.seed, range.first, range.end));
        const double seen = std::max(0.0, (took + clock_.dispatch) * clock_.noise * (1 + strays));
        costs_->add(range, seen);
        fine_->add(range, seen);
        return took;
    }

private:
    const Work* work_;
    Clock clock_;
    ChunkCosts* costs_;
    FineCosts* fine_;
};

/// Costs of drawing as measured: each is off by an error of its own.
void mismeasure(Machine& machine, double error, std::uint64_t seed) noexcept {
    std::uint64_t which = 0;
    for (double* const cost : {&machine.dispatch, &machine.serial, &machine.own_dispatch, &machine.queue_dispatch})
        *cost *= std::max(0.0, 1 + error * bell_of(random_bits(seed, ++which)));
    machine.serial = std::min(machine.serial, machine.dispatch);
}

}  // namespace

VirtualModel::VirtualModel(const PairExperiment& experiment, double error)
    : experiment_(&experiment), error_(error), measured_(experiment.machine), cut_(experiment.table().size(), false) {
    mismeasure(measured_.between, error, experiment.seed + 1);
    mismeasure(measured_.within, error, experiment.seed + 2);
    measured_.team_barrier *= std::max(0.0, 1 + error * bell_of(random_bits(experiment.seed + 3, 0)));
}

double VirtualModel::measure(levels::Pair pair, std::uint64_t step) {
    Application& application = *experiment_->application;
    const NestedMachine& machine = experiment_->machine;
    const std::uint64_t n = application.iterations;
    const std::size_t bins = CostProfile::bins_for(n, machine.ranks * machine.threads);
    costs_.prepare(n, bins);
    fine_.prepare(n);
    const TimedWork work(application.work(0, step),
                         {.dispatch = machine.within.dispatch,
                          .noise = experiment_->noise(step),
                          .error = error_,
                          .seed = random_bits(experiment_->seed + 4, step)},
                         costs_, fine_);
    const NestedOutcome outcome = loop_.run(experiment_->choice(pair), {0, n}, work, machine);
    const ChunkCosts* const seen[] = {&costs_};
    // Time that is not needed where it used to be: the loop does something else now (as loop/length_learning has it).
    if (vanished_part(profile_.compare(seen)) > kVanished) profile_.doubt();
    profile_.learn(seen);
    asked_ = false;
    cut_[experiment_->table().index(pair)] = true;
    // Each rank takes in what its threads saw; what the ranks know is put together in the background.
    const LearningCosts costs;
    const double stamps =
        machine.within.stamp * static_cast<double>(outcome.thread_chunks) / (machine.ranks * machine.threads);
    return stamps + costs.sample + costs.sample_per_bin * static_cast<double>(bins) +
           costs.sample_per_worker * machine.threads;
}

bool VirtualModel::predict(levels::Pair incumbent, std::span<double> times) {
    if (answer_.empty()) {
        // By what was measured in the last step, not by what the loop was like when it was settled.
        asked_ = !std::exchange(fresh_, false);
        if (asked_ || !profile_.known()) return false;
        const Prediction prediction = levels::predict_pairs({.profile = &profile_,
                                                             .iterations = experiment_->application->iterations,
                                                             .fine = &fine_,
                                                             .seed = experiment_->seed + 5 + predictions_,
                                                             .machine = measured_,
                                                             .ranks = experiment_->ranks,
                                                             .threads = experiment_->threads,
                                                             .incumbent = incumbent});
        answer_ = prediction.times;
        const double processors = static_cast<double>(measured_.ranks) * measured_.threads;
        ready_at_ = now_ + prediction.cost_s / (kBackgroundPart * processors) / kTick_s;
        spent_s_ += prediction.cost_s;
        ++predictions_;
    }
    if (now_ < ready_at_) return false;
    std::copy(answer_.begin(), answer_.end(), times.begin());
    answer_.clear();
    return true;
}

}  // namespace gimbal::simulate
