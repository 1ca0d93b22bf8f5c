// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate_command.hpp"

#include <algorithm>
#include <array>
#include <CLI/CLI.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "engine/rank_chunk.hpp"
#include "experiment/experiment.hpp"
#include "experiment/pair_experiment.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "gimbal/plain_text.hpp"
#include "help_format.hpp"
#include "info_command.hpp"
#include "levels/coordinator.hpp"
#include "levels/level_agent.hpp"
#include "levels/plain_learners.hpp"
#include "report/table.hpp"
#include "select/agent.hpp"
#include "select/portfolio.hpp"

namespace gimbal::tool {

namespace {

constexpr double kTick_s = 1e-9;
const std::vector<std::string> kLearners = {"joint", "independent", "alternate", "levels", "coordinated"};

/// What one learner made of all runs.
struct LearnerResult {
    std::string name;
    std::vector<double> over_best = {};  // [runs]
    double total_s = 0;                  // means over the runs, like the others
    double trials = 0, stopped = 0, moves = 0;
    std::string last = {};
};

std::string spelt(const simulate::PairExperiment& experiment, levels::Pair pair) {
    return to_string(experiment.ranks[pair.ranks]) + " / " + to_string(experiment.threads[pair.threads]);
}

std::uint32_t place_of(const Portfolio& portfolio, std::string_view name) {
    for (std::uint32_t i = 0; i < portfolio.size(); ++i) {
        if (portfolio[i].technique->info().name == name) return i;
    }
    return 0;
}

/// What an option lists. @errors gimbal::Error, which names the option
Portfolio choices_of(const char* option, const std::string& text) {
    try {
        return parse_portfolio(text);
    } catch (const Error& error) {
        throw Error(error.code(), std::string(option) + ": " + error.what(), error.hint());
    }
}

simulate::PairExperiment experiment_of(const SimulateRequest& request, const simulate::Application& application) {
    simulate::PairExperiment experiment;
    simulate::NestedMachine& machine = experiment.machine;
    machine.ranks = request.ranks;
    machine.threads = application.workers;
    machine.between = simulate::drawing_costs(true);
    machine.between.dispatch = 1e3 * request.rank_chunk_us;
    machine.between.serial = std::min(machine.between.serial, machine.between.dispatch);
    machine.within = simulate::drawing_costs(false);
    set_drawing_costs(request, machine.within);
    machine.team_barrier = 1e3 * request.team_barrier_us;
    machine.least = least_for_team(machine.threads);
    const Portfolio portfolio = choices_of("--portfolio", request.portfolio);
    const auto level = [&](const char* option, const std::string& schedule) {
        return schedule.empty() ? portfolio : choices_of(option, schedule);
    };
    experiment.ranks = level("--rank-schedule", request.rank_schedule);
    experiment.threads = level("--schedule", request.schedule);
    experiment.step_noise = request.step_noise;
    return experiment;
}

levels::IndependentLearner::Side side_of(const SimulateRequest& request, const Portfolio& portfolio, const char* loop,
                                         std::uint64_t iterations, std::uint32_t workers) {
    SelectorSettings settings = options().select;
    settings.portfolio.clear();
    for (const Schedule& choice : portfolio)
        settings.portfolio += (settings.portfolio.empty() ? "" : " ") + to_string(choice);
    settings.background = false;
    levels::IndependentLearner::Side side;
    side.selector = make_selector(request.selector.empty() ? "exhaustive" : request.selector, loop, workers, settings);
    side.portfolio = portfolio;
    side.context.iterations = iterations;
    side.context.workers = workers;
    return side;
}

simulate::PairTotals run_learner(const SimulateRequest& request, const std::string& name,
                                 const simulate::PairExperiment& experiment, simulate::PairTimes& times) {
    const levels::PairTable table = experiment.table();
    const std::uint32_t fac2_ranks = place_of(experiment.ranks, "fac2");
    const std::uint32_t fac2_threads = place_of(experiment.threads, "fac2");
    if (name == "joint") {
        levels::JointLearner learner(table);
        return run_pairs(experiment, times, learner);
    }
    if (name == "alternate") {
        levels::AlternateLearner learner(table, {fac2_ranks, fac2_threads});
        return run_pairs(experiment, times, learner);
    }
    if (name == "independent") {
        const std::uint64_t n = experiment.application->iterations;
        const simulate::NestedMachine& machine = experiment.machine;
        levels::IndependentLearner learner(side_of(request, experiment.ranks, "ranks", n, machine.ranks),
                                           side_of(request, experiment.threads, "threads", n, machine.threads));
        return run_pairs(experiment, times, learner);
    }
    if (name == "levels") {
        const SelectorSettings& settings = options().select;
        levels::LevelAgent learner(table, {place_of(experiment.ranks, "mfsc"), fac2_threads},
                                   agent_parameters(settings, settings.agent), experiment.seed, kTick_s);
        return run_pairs(experiment, times, learner);
    }
    // Its model is measured with an error as large as the noise of the steps.
    simulate::VirtualModel model(experiment, experiment.step_noise);
    levels::Coordinator learner(table, {place_of(experiment.ranks, "mfsc"), fac2_threads},
                                [&](levels::Pair pair, std::span<double> out) { return model.predict(pair, out); });
    return run_pairs(experiment, times, learner, &model);
}

/// Runs with seeds one after the other. Costs that are drawn, noise and selectors go by the seed; a trace's costs are
/// what they are.
std::vector<LearnerResult> run_all(const SimulateRequest& request, simulate::PairExperiment& experiment,
                                   std::unique_ptr<simulate::Application>& application, std::string& best,
                                   double& best_s) {
    std::vector<std::string> names = {request.learner};
    if (request.learner == "all") names = kLearners;
    std::vector<LearnerResult> results;
    for (const std::string& name : names) results.push_back({.name = name});
    const auto runs = static_cast<double>(request.runs);
    const std::uint64_t first_seed = options().seed;
    if (first_seed > kMaxSeed - (request.runs - 1))
        throw Error(ErrorCode::wrong_use, "--seed: the last of --runs would have a seed above the largest",
                    "allowed with so many runs: 0 to " + std::to_string(kMaxSeed - (request.runs - 1)));
    for (std::uint64_t run = 0; run < request.runs; ++run) {
        experiment.seed = first_seed + run;
        set_option("seed", std::to_string(experiment.seed));
        if (run > 0 && request.trace.empty()) application = named_application(request);
        experiment.application = application.get();
        simulate::PairTimes times(experiment);
        const levels::Pair fixed = times.best_fixed();
        const double fixed_total = times.total(fixed);
        best = spelt(experiment, fixed);
        best_s += fixed_total * kTick_s / runs;
        for (LearnerResult& result : results) {
            const simulate::PairTotals totals = run_learner(request, result.name, experiment, times);
            result.over_best.push_back(totals.total / fixed_total);
            result.total_s += totals.total * kTick_s / runs;
            result.trials += static_cast<double>(totals.trials) / runs;
            result.stopped += static_cast<double>(totals.stopped) / runs;
            result.moves += static_cast<double>(totals.moves) / runs;
            result.last = spelt(experiment, totals.last);
        }
    }
    return results;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int print_learners(const SimulateRequest& request, const simulate::Application& application, const std::string& best,
                   double best_s, const std::vector<LearnerResult>& results) {
    if (request.json) {
        Json learners = Json::object();
        for (const LearnerResult& one : results) {
            learners[one.name] = {{"total_s", one.total_s}, {"over_best", one.over_best}, {"trials", one.trials},
                                  {"stopped", one.stopped}, {"moves", one.moves},         {"last", one.last}};
        }
        return print_json({{"app", application.name},
                           {"ranks", request.ranks},
                           {"threads", application.workers},
                           {"iterations", application.iterations},
                           {"steps", application.steps},
                           {"runs", request.runs},
                           {"step_noise", request.step_noise},
                           {"best_pair", best},
                           {"best_total_s", best_s},
                           {"learners", learners}});
    }
    using Side = TextTable::Side;
    TextTable table({"learner", "total_s", "over best", "trials", "stopped", "moves", "last pair (ranks / threads)"},
                    {Side::left, Side::right, Side::right, Side::right, Side::right, Side::right, Side::left});
    const int digits = request.runs > 1 ? 1 : 0;
    for (const LearnerResult& one : results)
        table.add({one.name, seconds(one.total_s), per_cent(mean(one.over_best) - 1), fixed_digits(one.trials, digits),
                   fixed_digits(one.stopped, digits), fixed_digits(one.moves, digits), one.last});
    return print_text(
        application.name + ": " + count(application.steps, "step", "steps") + " of " +
        count(application.iterations, "iteration", "iterations") + " on " + count(request.ranks, "rank", "ranks") +
        " x " + count(application.workers, "thread", "threads") + ", in virtual time" +
        (request.runs > 1 ? "; means over " + std::to_string(request.runs) + " runs, pairs of the last" : "") +
        "\nbest fixed pair: " + best + ", " + seconds(best_s) + " s\n" + table.text());
}

/// Options of a single level, which pairs do not go by.
constexpr std::array<const char*, 11> kOneLevel = {"--level",  "--noise",      "--chunk-noise",  "--interruptions",
                                                   "--spread", "--drift",      "--events",       "--slow-worker",
                                                   "--record", "--steps-json", "--free-learning"};

/// Refuse what would have no effect. With --slack the ranks are those of a single level each.
void check_pair_options(const CLI::App& command, const SimulateRequest& request) {
    if (request.ranks == 0 || request.slack) return;
    for (const char* const name : kOneLevel)
        if (command.count(name) > 0)
            throw Error(ErrorCode::wrong_use, std::string(name) + " has no effect on the pairs of --ranks",
                        "leave one of them out; noise of theirs: --step-noise");
    if (command.count("--select") > 0 && request.learner != "independent" && request.learner != "all")
        throw Error(ErrorCode::wrong_use, "--select has no effect on the learner " + request.learner,
                    "give --learner independent, or leave --select out");
}

}  // namespace

void add_pair_options(CLI::App& command, SimulateRequest& request) {
    CLI::Option* const ranks =
        command.add_option("--ranks", request.ranks, "Ranks, each of --workers threads: two levels of the first loop")
            ->check(CLI::Range(1, 1 << 16));
    command.add_option("--rank-schedule", request.rank_schedule, "One technique of the ranks for all steps")
        ->needs(ranks);
    command
        .add_option("--learner", request.learner,
                    "Who chooses pairs: joint, independent, alternate, levels (the agent of "
                    "GIMBAL_RL_AGENT),\ncoordinated, or all of them")
        ->check(one_of({"joint", "independent", "alternate", "levels", "coordinated", "all"}))
        ->needs(ranks)
        ->capture_default_str();
    command.add_option("--portfolio", request.portfolio, "Techniques of both levels, with blanks between them")
        ->needs(ranks)
        ->capture_default_str();
    command.add_option("--rank-chunk-us", request.rank_chunk_us, "What a chunk costs a rank")
        ->check(finite(0.0, 1e9))
        ->needs(ranks)
        ->capture_default_str();
    command.add_option("--team-barrier-us", request.team_barrier_us, "Of a rank's threads, at the end of its chunks")
        ->check(finite(0.0, 1e9))
        ->needs(ranks)
        ->capture_default_str();
    command
        .add_option("--step-noise", request.step_noise,
                    "Deviation of the time of a step (with --slack: of each rank's); of\nmeasurements, too")
        ->check(finite(0.0, 0.99))
        ->needs(ranks);
    command
        .add_option("--runs", request.runs,
                    "Runs with seeds one after the other: means are printed, and the\nlast one's pairs")
        ->check(CLI::Range(1, 1000))
        ->needs(ranks)
        ->capture_default_str();
    command.parse_complete_callback([&command, &request] { check_pair_options(command, request); });
}

int simulate_pairs(const SimulateRequest& request, std::unique_ptr<simulate::Application> application) {
    simulate::PairExperiment experiment = experiment_of(request, *application);
    std::string best;
    double best_s = 0;
    const std::vector<LearnerResult> results = run_all(request, experiment, application, best, best_s);
    print_warnings();
    return print_learners(request, *application, best, best_s, results);
}

}  // namespace gimbal::tool
