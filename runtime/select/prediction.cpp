// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/prediction.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "select/background.hpp"
#include "simulate/chance.hpp"
#include "simulate/event_loop.hpp"
#include "simulate/work.hpp"
#include "technique/granule.hpp"
#include "technique/least_chunk.hpp"

namespace gimbal {

namespace {

// What one execution differs from the next by where nothing is wrong: a worker's speed, and a chunk's time.
constexpr double kWorkerNoise = 0.01;
constexpr double kChunkNoise = 0.01;
constexpr std::uint64_t kRuns = 2;
constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 14;  // per run; draws are bundled beyond that
constexpr double kSecondsPerChunk = 50e-9;                     // to simulate one
constexpr double kOwnDispatch = 0.5;                           // of an own step, in uncontended dispatches

Plan plan_of(const Question& question, const Choice& choice) {
    const LoopContext& asked = question.context;
    LoopShape shape;
    shape.iterations = asked.iterations;
    shape.workers = asked.workers;
    // As a loop site has it.
    const DrawCosts costs{asked.dispatch, asked.contention, asked.iteration_time};
    const std::uint64_t least = least_chunk(choice.technique->info(), asked.iterations, asked.workers, costs);
    shape.chunk = choice.chunk;
    shape.fraction = choice.fraction;
    shape.weights = question.weights;
    shape.statistics = asked.statistics;
    shape.profile = &question.profile;
    shape.seed = question.seed;
    return granular_plan(*choice.technique, shape, asked.granule, least);
}

}  // namespace

Question::Question(const LoopContext& asked, const Portfolio& portfolio, std::uint64_t seed_)
    : context(asked),
      profile(*asked.profile),
      weights(asked.weights.begin(), asked.weights.end()),
      choices(portfolio),
      seed(seed_) {
    context.profile = nullptr;
    context.weights = {};
}

double expected_cost_s(std::size_t choices, std::uint32_t workers) noexcept {
    constexpr double kChunksPerWorker = 64;
    return static_cast<double>(choices * kRuns) * kChunksPerWorker * workers * kSecondsPerChunk;
}

Prediction predict(const Question& question) {
    const std::uint32_t workers = question.context.workers;
    // N may have changed since the profile was taken: what iterations cost has not.
    const double scale = static_cast<double>(question.context.iterations) / question.profile.iterations();
    const simulate::ProfiledWork work(question.profile, question.context.iterations, scale);
    simulate::EventLoop loop;
    std::vector<double> slowness(workers);
    simulate::Machine machine;
    machine.slowness = slowness;
    machine.dispatch = question.context.dispatch * question.context.contention;
    machine.serial = question.context.serial_part * machine.dispatch;
    machine.queue_dispatch = question.context.dispatch;
    machine.own_dispatch = kOwnDispatch * question.context.dispatch;
    machine.stamp = question.context.dispatch;
    machine.chunk_noise = kChunkNoise;
    machine.most_events = kMostEvents;
    Prediction answer{std::vector<double>(question.choices.size(), std::numeric_limits<double>::infinity())};
    double events = 0;
    for (std::size_t i = 0; i < answer.times.size() && !background_is_stopping(); ++i) {
        const Choice& choice = question.choices[i];
        const Plan plan = plan_of(question, choice);
        double sum = 0;
        for (std::uint64_t run = 0; run < kRuns; ++run) {
            machine.seed = question.seed + run;
            for (std::uint32_t k = 0; k < workers; ++k) {
                const double weight = question.weights.size() == workers ? question.weights[k] : 1;
                const double slow = weight > 0 ? 1 / weight : 1;
                slowness[k] =
                    slow * (1 + kWorkerNoise * simulate::bell_of(simulate::random_bits(question.seed, run, k)));
            }
            const simulate::Outcome outcome = loop.run(*choice.technique, plan, work, machine);
            sum += outcome.loop_time;
            events += static_cast<double>(std::min(outcome.chunks, kMostEvents) + workers);
        }
        answer.times[i] = sum / static_cast<double>(kRuns);
    }
    answer.cost_s = events * kSecondsPerChunk;
    return answer;
}

}  // namespace gimbal
