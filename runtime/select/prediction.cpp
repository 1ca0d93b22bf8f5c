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
constexpr double kFarOff = 1.1;  // times the best so far: another run would not make up for that
constexpr std::uint64_t kMaxEvents = std::uint64_t{1} << 14;  // per run; draws are bundled beyond that
constexpr double kSecondsPerChunk = 50e-9;                    // to simulate one
constexpr double kOwnDispatch = 0.5;                          // of an own step, in uncontended dispatches
constexpr std::uint32_t kMaxWorkers = 256;                    // that are simulated one by one, where that costs much

/// Of the question, or a part of it: so many workers with as many iterations each, that cost as much, stand for all.
struct Team {
    std::uint32_t workers = 1;
    std::uint64_t iterations = 0;
    double part = 1;  // of the whole
    std::vector<double> weights;
};

Team team_of(const Question& question, std::uint32_t most) {
    const LoopContext& asked = question.context;
    Team team{asked.workers, asked.iterations, 1, question.weights};
    if (asked.workers <= most) return team;
    team.workers = most;
    team.part = static_cast<double>(most) / asked.workers;
    team.iterations = std::max<std::uint64_t>(1, asked.iterations / asked.workers * most);
    if (question.weights.size() != asked.workers) return team;
    team.weights.clear();
    double sum = 0;
    for (std::uint32_t i = 0; i < most; ++i) {
        team.weights.push_back(question.weights[std::uint64_t{i} * asked.workers / most]);
        sum += team.weights.back();
    }
    for (double& weight : team.weights) weight *= sum > 0 ? most / sum : 1;
    return team;
}

Plan plan_of(const Question& question, const Schedule& choice, const Team& team) {
    const LoopContext& asked = question.context;
    const TechniqueInfo& info = choice.technique->info();
    LoopShape shape;
    shape.iterations = team.iterations;
    shape.workers = team.workers;
    // As a loop site has it.
    const DrawCosts costs{asked.dispatch, asked.contention, asked.iteration_time};
    const std::uint64_t least = std::max(least_chunk(info, team.iterations, team.workers, costs),
                                         asked_least(info, team.iterations, team.workers, asked.teams.least));
    shape.chunk = choice.chunk;
    shape.fraction = choice.fraction;
    if (choice.fraction < 0 && info.fraction == FractionSource::feedback) shape.fraction = asked.feedback_fraction;
    if (info.needs_weights) shape.weights = team.weights;
    shape.statistics = info.needs_profile ? question.profile.statistics(asked.timed_draw) : asked.statistics;
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

namespace {

/// Mean loop time of a few runs, or of one where that is far off. @param best  of other choices [ticks]
/// @param events  what it cost is added to it [chunks]
double time_of(const Question& question, const Schedule& choice, const Plan& plan, const Team& team, double best,
               simulate::EventLoop& loop, double& events) {
    const LoopContext& asked = question.context;
    // N may have changed since the profile was taken: what iterations cost has not.
    const double scale = static_cast<double>(asked.iterations) / question.profile.iterations();
    const simulate::ProfiledWork work(question.profile, team.iterations, scale * team.part);
    std::vector<double> slowness(team.workers);
    simulate::Machine machine;
    machine.slowness = slowness;
    machine.dispatch = asked.dispatch * asked.contention;
    // Where some stand for more, the counter is as busy as it would be with all.
    machine.serial = asked.serial_part * machine.dispatch / team.part;
    machine.dispatch += asked.teams.chunk_overhead;
    machine.own_dispatch = kOwnDispatch * asked.dispatch + asked.teams.chunk_overhead;
    machine.queue_dispatch = asked.dispatch + asked.teams.chunk_overhead;
    machine.stamp = asked.dispatch;
    machine.chunk_noise = kChunkNoise;
    machine.most_events = kMaxEvents;
    ExecutionConfig config;
    config.ascending = asked.monotonic;
    double sum = 0;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
        machine.seed = question.seed + run;
        for (std::uint32_t k = 0; k < team.workers; ++k) {
            const double weight = team.weights.size() == team.workers ? team.weights[k] : 1;
            const double slow = weight > 0 ? 1 / weight : 1;
            slowness[k] = slow * (1 + kWorkerNoise * simulate::bell_of(random_bits(question.seed, run, k)));
        }
        const simulate::Outcome outcome = loop.run(*choice.technique, plan, work, machine, config);
        sum += outcome.loop_time;
        events += static_cast<double>(std::min(outcome.chunks, kMaxEvents) + team.workers);
        if (run == 0 && sum > kFarOff * best) return sum;
    }
    return sum / static_cast<double>(kRuns);
}

}  // namespace

Prediction predict(const Question& question) {
    // Chunks that are sized by the times of all workers, or drawn one by one from queues, cost too much in large teams.
    const Team all = team_of(question, question.context.workers);
    const Team some = team_of(question, kMaxWorkers);
    simulate::EventLoop loop;
    Prediction answer{std::vector<double>(question.choices.size(), std::numeric_limits<double>::infinity())};
    double events = 0;
    double best = std::numeric_limits<double>::infinity();
    double longest_s = expected_cost_s(1, all.workers);  // of a choice so far, by this thread's clock [s]
    for (std::size_t i = 0; i < answer.times.size() && !background_is_stopping(); ++i) {
        if (!wait_for_share(longest_s)) break;
        const double begun_s = thread_cpu_s();
        const Schedule& choice = question.choices[i];
        const bool fewer = all.workers > some.workers &&
                           (choice.technique->adaptive() || choice.technique->info().family == "stealing");
        const Team& team = fewer ? some : all;
        answer.times[i] = time_of(question, choice, plan_of(question, choice, team), team, best, loop, events);
        best = std::min(best, answer.times[i]);
        longest_s = std::max(longest_s, thread_cpu_s() - begun_s);
        answer.spent_s += thread_cpu_s() - begun_s;
    }
    answer.cost_s = events * kSecondsPerChunk;
    return answer;
}

}  // namespace gimbal
