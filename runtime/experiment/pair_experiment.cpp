// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/pair_experiment.hpp"

#include <algorithm>

#include "simulate/chance.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kMinNoise = 0.05;   // noise makes no step faster than this part of it
constexpr std::uint64_t kLooks = 8;  // steps by which pairs are left out of the search for the best
constexpr double kHopeless = 1.25;   // times the least of these,
constexpr double kFarOff = 2;        // times the least of one: no longer simulated to its end

}  // namespace

double PairExperiment::noise(std::uint64_t step) const noexcept {
    return std::max(kMinNoise, 1 + step_noise * bell_of(random_bits(seed, step)));
}

NestedOutcome PairTimes::run(levels::Pair pair, Range part, std::uint64_t step, double limit) {
    NestedMachine machine = experiment_->machine;
    machine.between.until = limit;
    return loop_.run(experiment_->choice(pair), part, experiment_->application->work(0, step), machine);
}

const NestedOutcome& PairTimes::outcome(levels::Pair pair, std::uint64_t step) {
    const Application& application = *experiment_->application;
    const auto [found, is_new] =
        known_.try_emplace({application.frame(step), experiment_->table().index(pair)}, NestedOutcome{});
    if (is_new) found->second = run(pair, {0, application.iterations}, step, kNoLimit);
    return found->second;
}

double PairTimes::stopped(levels::Pair pair, double limit, levels::Pair rest, std::uint64_t step) {
    const std::uint64_t iterations = experiment_->application->iterations;
    const NestedOutcome first = run(pair, {0, iterations}, step, limit);
    if (first.iterations == iterations) return first.loop_time;
    return first.loop_time + run(rest, {first.iterations, iterations}, step, kNoLimit).loop_time;
}

double PairTimes::total(levels::Pair pair) {
    double sum = 0;
    for (std::uint64_t step = 0; step < experiment_->application->steps; ++step)
        sum += outcome(pair, step).loop_time * experiment_->noise(step);
    return sum;
}

levels::Pair PairTimes::best_fixed() {
    const levels::PairTable table = experiment_->table();
    const std::uint64_t steps = experiment_->application->steps;
    const Range all{0, experiment_->application->iterations};
    std::vector<double> looks(table.size(), 0);
    for (std::uint64_t look = 0; look < std::min(kLooks, steps); ++look) {
        const std::uint64_t step = (2 * look + 1) * steps / (2 * std::min(kLooks, steps));
        double least = kNoLimit;
        for (std::size_t i = 0; i < table.size(); ++i) {
            const double limit = kFarOff * least;
            const double time = run(table.pair(i), all, step, limit).loop_time;
            least = std::min(least, time);
            looks[i] += time;
        }
    }
    const double least = *std::min_element(looks.begin(), looks.end());
    levels::Pair best;
    double best_total = kNoLimit;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (looks[i] > kHopeless * least) continue;
        const double sum = total(table.pair(i));
        if (sum >= best_total) continue;
        best = table.pair(i);
        best_total = sum;
    }
    return best;
}

PairTotals run_pairs(const PairExperiment& experiment, PairTimes& times, levels::PairLearner& learner,
                     VirtualModel* model) {
    const levels::PairTable table = experiment.table();
    PairTotals totals;
    totals.steps.resize(table.size());
    for (std::uint64_t step = 0; step < experiment.application->steps; ++step) {
        const levels::PairTurn turn = learner.next();
        const double noise = experiment.noise(step);
        const NestedOutcome& outcome = times.outcome(turn.pair, step);
        levels::PairRecord record;
        record.iterations = experiment.application->iterations;
        record.stopped = outcome.loop_time * noise > turn.limit;
        record.time = outcome.loop_time * noise;
        record.rank_balance = outcome.rank_mean / outcome.loop_time;
        if (outcome.team_time > 0) record.thread_balance = outcome.thread_mean / outcome.team_time;
        const bool measured = model && !record.stopped && model->measures(turn.pair, step);
        if (record.stopped) {
            record.time = times.stopped(turn.pair, turn.limit / noise, turn.rest, step) * noise;
        } else if (measured) {
            const double cost = model->measure(turn.pair, step);
            totals.measuring += cost;
            record.time += cost;
        }
        if (model) model->pass(record.time, measured);
        learner.learn(turn, record);
        totals.total += record.time;
        totals.times.push_back(record.time);
        totals.trials += turn.trial ? 1 : 0;
        totals.stopped += record.stopped ? 1 : 0;
        totals.moves += step > 0 && !(turn.pair == totals.last) ? 1 : 0;
        totals.last = turn.pair;
        ++totals.steps[table.index(turn.pair)];
    }
    return totals;
}

}  // namespace gimbal::simulate
