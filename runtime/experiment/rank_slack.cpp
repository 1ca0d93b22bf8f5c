// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/rank_slack.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "lightweight/slack.hpp"
#include "simulate/chance.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kTick_s = 1e-9;
constexpr double kLeastPublished_s = 1e-4;
constexpr double kMinFactor = 0.05;  // noise makes no process faster than this part of it

/// What the process that opens a loop expects. Registered while it lives.
class ExpectedSlack final : public SlackProvider {
public:
    ExpectedSlack() { set_slack_provider(this); }
    ~ExpectedSlack() { set_slack_provider(nullptr); }
    ExpectedSlack(const ExpectedSlack&) = delete;
    ExpectedSlack& operator=(const ExpectedSlack&) = delete;

    [[nodiscard]] std::optional<double> slack() noexcept override {
        return expected_s_ > 0 ? std::optional(expected_s_ / kTick_s) : std::nullopt;
    }
    void expect(double slack_s) noexcept { expected_s_ = slack_s; }

private:
    double expected_s_ = 0;
};

/// One loop of one process, and the collective call behind it.
struct Place {
    std::unique_ptr<VirtualLoop> loop;
    SlackHistory history;
    double last_call_s = 0;
    double expected_s = 0;  // in the execution that is under way
    double arrival = 0;     // in the collective call, since the last one ended [ns]
    double per_draw = 1;    // iterations, as last seen
};

/// Seeds of processes have nothing to do with each other.
std::uint64_t seed_of(const RankSlackExperiment& experiment, std::uint32_t rank) noexcept {
    return random_bits(experiment.process.seed, rank, 0x5AC4);
}

struct Process {
    Process(const RankSlackExperiment& experiment, std::uint32_t rank);

    /// Factor on all its times in a step.
    [[nodiscard]] double costliness(double noise, std::uint64_t step) const noexcept {
        return factor * std::max(kMinFactor, 1 + noise * bell_of(random_bits(seed, step, 0xC057)));
    }

    std::uint64_t seed;
    double factor = 1;
    WorkerSpeeds speeds;
    std::vector<double> slowness;  // [P] in this step
    std::vector<Place> places;     // [loops]
};

Process::Process(const RankSlackExperiment& experiment, std::uint32_t rank)
    : seed(seed_of(experiment, rank)),
      factor(1 + experiment.rank_spread * ((2.0 * rank + 1) / experiment.ranks - 1)),
      speeds(experiment.process.disturbances, experiment.process.application->workers, seed) {
    const Application& application = *experiment.process.application;
    const Machine& costs = experiment.process.costs;
    const double serial_part = costs.dispatch > 0 ? std::min(1.0, costs.serial / costs.dispatch) : 0;
    for (const std::string& name : application.loops)
        places.emplace_back().loop =
            std::make_unique<VirtualLoop>(application.name + " " + name, application.workers, serial_part);
}

/// All processes and the steps that they take together.
class Job {
public:
    explicit Job(const RankSlackExperiment& experiment);

    void run();
    [[nodiscard]] const RankSlackTotals& totals() const noexcept { return totals_; }

private:
    void begin_step(std::uint64_t step);
    void compute(std::size_t loop, std::uint64_t step);
    void meet(std::size_t loop);
    [[nodiscard]] double expected(const Place& place) const noexcept;
    void note_saved(Place& place, const StepRow& row) noexcept;
    void count_settled() noexcept;

    const RankSlackExperiment& experiment_;
    Machine machine_;
    std::vector<Process> processes_;
    ExpectedSlack expected_;
    RankSlackTotals totals_;
    bool tail_ = false;  // in the second half
};

Job::Job(const RankSlackExperiment& experiment) : experiment_(experiment) {
    machine_ = machine_of(experiment.process);
    processes_.reserve(experiment.ranks);
    for (std::uint32_t rank = 0; rank < experiment.ranks; ++rank) processes_.emplace_back(experiment, rank);
}

void Job::begin_step(std::uint64_t step) {
    tail_ = step >= experiment_.process.application->steps / 2;
    for (Process& process : processes_) {
        const double factor = process.costliness(experiment_.rank_noise, step);
        const std::span<const double> slowness = process.speeds.slowness(step);
        process.slowness.assign(slowness.begin(), slowness.end());
        for (double& one : process.slowness) one *= factor;
    }
}

void Job::compute(std::size_t loop, std::uint64_t step) {
    Application& application = *experiment_.process.application;
    Request request = experiment_.process.request;
    request.trip = application.trip(loop, step);
    if (request.trip == 0) return;
    const Work& work = application.work(loop, step);
    for (Process& process : processes_) {
        Place& place = process.places[loop];
        place.expected_s = expected(place);
        expected_.expect(place.expected_s);
        machine_.slowness = process.slowness;
        machine_.seed = random_bits(process.seed, step, loop);
        const StepRow row = place.loop->run(request, work, machine_, experiment_.process.learning);
        place.arrival = row.loop_time + place.loop->learning_ns(experiment_.process.learning);
        note_saved(place, row);
    }
    meet(loop);
}

double Job::expected(const Place& place) const noexcept {
    if (experiment_.rule == SlackRule::none) return 0;
    if (experiment_.rule == SlackRule::trusted) return place.history.predicted_s();
    return place.last_call_s >= kLeastPublished_s ? place.last_call_s : 0;
}

// Everybody waits for the last one; the call ends for all at once.
void Job::meet(std::size_t loop) {
    const auto last = std::max_element(
        processes_.begin(), processes_.end(),
        [loop](const Process& a, const Process& b) { return a.places[loop].arrival < b.places[loop].arrival; });
    const double end = last->places[loop].arrival;
    double waiting = 0;
    for (Process& process : processes_) {
        Place& place = process.places[loop];
        const double slack = end - place.arrival;
        waiting += slack;
        if (tail_ && place.expected_s > 0) {
            ++totals_.predicted;
            totals_.over += slack * kTick_s < place.expected_s ? 1 : 0;
            totals_.last += &process == &*last ? 1 : 0;
        }
        place.last_call_s = (slack + experiment_.collective) * kTick_s;
        place.history.add(slack * kTick_s, place.arrival * kTick_s, &process == &*last);
    }
    totals_.total += end + experiment_.collective;
    if (!tail_) return;
    totals_.tail += end + experiment_.collective;
    totals_.tail_waiting += waiting / experiment_.ranks;
}

// (f_d - f_d') N q / p, with the iterations of a draw in place of one; q / p is what a draw costs the team where draws
// overlap, and the exclusive part of a draw where that is longer.
void Job::note_saved(Place& place, const StepRow& row) noexcept {
    if (!tail_) return;
    ++totals_.executions;
    const LoopSetting setting = place.loop->learning().last_setting();
    totals_.base_fraction += setting.base;
    totals_.used_fraction += setting.fraction;
    const double workers = experiment_.process.application->workers;
    const double iterations = static_cast<double>(row.iterations);
    const double draws = static_cast<double>(row.chunks) - workers;
    if (setting.fraction >= 0 && draws > 0) place.per_draw = std::max(1.0, (1 - setting.fraction) * iterations / draws);
    const double per_draw = std::max(machine_.dispatch / workers, machine_.serial);
    totals_.tail_saved +=
        std::max(0.0, setting.fraction - setting.base) * iterations / place.per_draw * per_draw / experiment_.ranks;
}

void Job::count_settled() noexcept {
    for (const Process& process : processes_) {
        totals_.settled += std::all_of(process.places.begin(), process.places.end(), [](const Place& place) {
            const std::string_view stage = place.loop->learning().last_setting().stage;
            return stage.empty() || stage == "settled";
        });
    }
}

void Job::run() {
    const Application& application = *experiment_.process.application;
    for (std::uint64_t step = 0; step < application.steps; ++step) {
        begin_step(step);
        for (std::size_t loop = 0; loop < application.loops.size(); ++loop) compute(loop, step);
    }
    count_settled();
    if (totals_.executions == 0) return;
    totals_.base_fraction /= static_cast<double>(totals_.executions);
    totals_.used_fraction /= static_cast<double>(totals_.executions);
}

}  // namespace

RankSlackTotals run_rank_slack(const RankSlackExperiment& experiment) {
    Job job(experiment);
    job.run();
    return job.totals();
}

}  // namespace gimbal::simulate
