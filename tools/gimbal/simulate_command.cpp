// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate_command.hpp"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <map>
#include <vector>

#include "base/quote.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "experiment/experiment.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "help_format.hpp"
#include "info_command.hpp"
#include "paths.hpp"
#include "recorded_costs.hpp"
#include "report/files.hpp"
#include "report/steps.hpp"
#include "report/table.hpp"
#include "select/recording.hpp"

namespace gimbal::tool {

namespace {

constexpr double kTick_s = 1e-9;
constexpr std::size_t kMaxChoices = 4;  // in the table

struct LoopSums {
    double loop_time = 0;  // [ns], like the others
    double learning = 0;   // part of loop_time
    double ideal = 0;
    double busy_max = 0;
    double busy_mean = 0;
    std::uint64_t chunks = 0;
    std::uint64_t executions = 0;
    std::map<std::string, std::uint64_t> choices;  // how many steps ran as what
    std::vector<double> steps_s;
};

/// The settings are those of the environment, with what the command line says on top.
void settle_options(const SimulateRequest& request) {
    std::vector<Setting> overrides = {{"seed", request.seed, "command line"}};
    if (!request.schedule.empty()) overrides.push_back({"--schedule", request.schedule, "command line"});
    if (!request.selector.empty()) overrides.push_back({"--select", request.selector, "command line"});
    validate(load_options({}, overrides));
    validate(load_options(process_environment(), overrides));
    for (const Setting& setting : overrides) set_option(setting.name, setting.value);
    if (!request.selector.empty()) set_option("schedule", "runtime");
}

/// A record that cannot be followed is a wrong setting, as in a program; one of a single level says nothing of two.
void check_replay(const SimulateRequest& request) {
    if (!replay_refusal().empty()) {
        const Error error(ErrorCode::file, "GIMBAL_REPLAY: " + replay_refusal(),
                          "it must be a file that --record, or GIMBAL_RECORD, wrote");
        if (options().strict) throw error;
        write_stderr(message_text(error, "warning"));
    }
    if (request.ranks > 0 && recording_to_replay())
        throw Error(ErrorCode::wrong_use, "GIMBAL_REPLAY has no effect with --ranks", "unset it, or leave --ranks out");
}

/// Settings that programs go by, and loops in virtual time do not.
void warn_of_idle_settings() {
    constexpr const char* kRecord = "--record FILE writes every step of one level";
    const SelectorSettings& select = options().select;
    const auto warn = [](bool given, const char* name, const char* hint) {
        if (given)
            write_stderr("gimbal: warning: " + std::string(name) + " has no effect on gimbal simulate; " + hint + "\n");
    };
    warn(!select.record.empty(), "GIMBAL_RECORD", kRecord);
    warn(!select.agent_stats.empty(), "GIMBAL_RL_AGENT_STATS", kRecord);
    warn(select.debug > 0, "GIMBAL_RL_DEBUG", kRecord);
    warn(!options().loops.empty(), "GIMBAL_LOOPS", "its rules are for loops of programs");
}

/// The next draw and its record are part of what a chunk took, and draws are charged once more.
void warn_of_short_chunks(const std::vector<simulate::RecordedLoop>& loops) {
    constexpr double kFewDraws = 20;  // of more they are less than a twentieth
    for (const simulate::RecordedLoop& loop : loops) {
        const double median_ns = median_chunk_ns(loop);
        if (median_ns <= 0 || median_ns >= kFewDraws * simulate::drawing_costs(false).dispatch) continue;
        write_stderr("gimbal: warning: half of the chunks of " + loop.name + " took " + fixed(median_ns, 0) +
                     " ns at most, a draw and some 15 ns of recording included: iterations seem to cost more than "
                     "they do; larger chunks, as with OMP_SCHEDULE=ss,64, are measured better\n");
    }
}

std::unique_ptr<simulate::Application> recorded_application(const SimulateRequest& request) {
    RecordedCosts costs = read_recorded_costs(request.trace, request.loop);
    if (costs.incomplete > 0)
        write_stderr("gimbal: warning: " + std::to_string(costs.incomplete) +
                     " executions are left out: the trace lacks some of their chunks\n");
    if (costs.largest_chunk > 1)
        write_stderr("gimbal: warning: chunks of up to " + std::to_string(costs.largest_chunk) +
                     " iterations were recorded, and those of one chunk count as equal; with OMP_SCHEDULE=ss each "
                     "iteration is timed by itself\n");
    warn_of_short_chunks(costs.loops);
    return simulate::make_recorded(std::move(costs.loops), request.workers > 0 ? request.workers : costs.workers,
                                   request.steps);
}

simulate::Experiment experiment_of(const SimulateRequest& request, simulate::Application& application) {
    simulate::Experiment experiment;
    experiment.application = &application;
    const bool ranks = request.level.empty() ? application.ranks : request.level == "ranks";
    experiment.costs = simulate::drawing_costs(ranks);
    set_drawing_costs(request, experiment.costs);
    experiment.disturbances = request.disturbances;
    if (request.free_learning) experiment.learning = simulate::kFreeLearning;
    experiment.seed = options().seed;
    experiment.most_events = request.most_events;
    return experiment;
}

void append_row(std::string& text, const std::string& loop, const simulate::ExperimentStep& seen) {
    StepRow row = *seen.step;
    row.loop = loop;
    append_step(text, row, kTick_s);
}

std::string choices_text(const LoopSums& sums) {
    std::vector<std::pair<std::uint64_t, std::string>> sorted;
    for (const auto& [choice, steps] : sums.choices) sorted.emplace_back(steps, choice);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (std::size_t i = 0; i < std::min(sorted.size(), kMaxChoices); ++i)
        text += (i ? ", " : "") + sorted[i].second + " " + std::to_string(sorted[i].first);
    return sorted.size() > kMaxChoices ? text + ", ..." : text;
}

/// Who decides what loops run as.
struct Decider {
    const char* kind;  // schedule, selector or replay
    std::string name;  // the latter's is its file
};

Decider decider() {
    const ScheduleSpec& schedule = options().schedule;
    if (recording_to_replay()) return {"replay", options().select.replay};
    if (schedule.technique) return {"schedule", to_string(schedule)};
    return {"selector", schedule.selector.empty() ? options().select.name : std::string(schedule.selector)};
}

/// By how much a time is over the ideal; where that is no longer a matter of per cent, how many times it.
/// Recorded iterations may have cost nothing.
double ratio(double one, double other) {
    return other > 0 ? one / other : 1;
}

std::string over_text(double ratio) {
    constexpr double kTimes = 10;
    return ratio < kTimes ? per_cent(ratio - 1) : fixed(ratio, 0) + " times";
}

int print_table(const simulate::Application& application, const std::vector<LoopSums>& sums) {
    TextTable table({"loop", "total_s", "mean_s", "ideal_s", "over ideal", "imbalance", "chunks/step", "steps as"},
                    {TextTable::Side::left, TextTable::Side::right, TextTable::Side::right, TextTable::Side::right,
                     TextTable::Side::right, TextTable::Side::right, TextTable::Side::right, TextTable::Side::left});
    for (std::size_t k = 0; k < sums.size(); ++k) {
        const LoopSums& loop = sums[k];
        const auto executions = static_cast<double>(loop.executions);
        table.add({application.loops[k], seconds(loop.loop_time * kTick_s),
                   seconds(loop.loop_time * kTick_s / executions), seconds(loop.ideal * kTick_s),
                   over_text(ratio(loop.loop_time, loop.ideal)), per_cent(ratio(loop.busy_max, loop.busy_mean) - 1),
                   fixed(static_cast<double>(loop.chunks) / executions, 0), choices_text(loop)});
    }
    const Decider asked = decider();
    const std::string kind = recording_to_replay() ? "replay of" : asked.kind;
    return print_text(application.name + ": " + count(application.steps, "step", "steps") + " of " +
                      (application.same_trips ? "" : "up to ") +
                      count(application.iterations, "iteration", "iterations") + " on " +
                      count(application.workers, "worker", "workers") + ", " + kind + " " + asked.name +
                      ", in virtual time\n" + table.text());
}

int print_record(const SimulateRequest& request, const simulate::Application& application,
                 const std::vector<LoopSums>& sums) {
    Json loops = Json::array();
    double total = 0;
    double ideal = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        const LoopSums& one = sums[k];
        total += one.loop_time * kTick_s;
        ideal += one.ideal * kTick_s;
        Json loop = {{"name", application.loops[k]},   {"total_s", one.loop_time * kTick_s},
                     {"ideal_s", one.ideal * kTick_s}, {"learning_s", one.learning * kTick_s},
                     {"executions", one.executions},   {"imbalance", ratio(one.busy_max, one.busy_mean) - 1},
                     {"chunks", one.chunks},           {"choices", one.choices}};
        if (request.steps_json) loop["steps"] = one.steps_s;
        loops.push_back(std::move(loop));
    }
    Json record = {
        {request.trace.empty() ? "app" : "trace", request.trace.empty() ? request.application : request.trace},
        {"workers", application.workers},
        {"iterations", application.iterations},
        {"steps", application.steps},
        {"seed", options().seed},
        {"total_s", total},
        {"ideal_s", ideal},
        {"loops", loops}};
    const Decider asked = decider();
    record[asked.kind] = asked.name;
    return print_json(record);
}

constexpr const char* kExamples =
    "\nSettings of agents come from GIMBAL_RL_*; GIMBAL_REPLAY follows what --record wrote.\n"
    "Without effect: GIMBAL_RECORD GIMBAL_RL_AGENT_STATS GIMBAL_RL_DEBUG GIMBAL_LOOPS.\n"
    "Examples:\n"
    "  gimbal simulate --app pisolver:imbalance=20 --schedule fac2\n"
    "  gimbal simulate --app mandelbrot --steps 300 --select sarsa --noise 0.01 --record steps.csv\n"
    "  gimbal simulate --app evrard --workers 40 --select auto --json\n"
    "  OMP_SCHEDULE=ss gimbal run -t 2 --trace app.pftrace -- ./app\n"
    "  gimbal simulate --trace app.pftrace --workers 64 --schedule fac2\n"
    "  gimbal simulate --app bump --ranks 8 --workers 8 --rank-schedule fac2 --schedule gss\n"
    "  gimbal simulate --app power --ranks 8 --workers 8 --steps 500 --learner all --step-noise 0.02\n"
    "  gimbal simulate --app uniform --ranks 64 --workers 8 --iterations 2000 --slack --rank-spread 0.1";

CLI::Validator positive() {
    return finite(0.0, 1e12);
}

/// What runs, and how often.
void add_loops(CLI::App& command, SimulateRequest& request) {
    CLI::Option* const app =
        command.add_option("--app", request.application, "Application, name[:key=value,...]; see below");
    CLI::Option* const trace =
        command
            .add_option("--trace", request.trace, "In its place, a program's own loops: their costs, from its trace")
            ->excludes(app);
    command.add_option("--loop", request.loop, "Of the trace, only loops whose name contains this")->needs(trace);
    command.add_option("--workers", request.workers, "Workers, P")->check(CLI::Range(1, 1 << 16));
    command.add_option("--iterations", request.iterations, "N of every loop")
        ->check(CLI::Range(1UL, 1UL << 32))
        ->excludes(trace);
    command.add_option("--steps", request.steps, "Time steps: executions of every loop")
        ->check(CLI::Range(1UL, 1UL << 32));
}

/// Who chooses the technique.
void add_choice(CLI::App& command, SimulateRequest& request) {
    CLI::Option* const schedule = command.add_option("--schedule", request.schedule, "One technique for all steps");
    command.add_option("--select", request.selector, "A selector or an agent (gimbal info selectors)")
        ->excludes(schedule);
    command.add_option("--seed", request.seed, "Of costs, disturbances and selectors")
        ->check(CLI::Range(std::uint64_t{0}, kMaxSeed))
        ->capture_default_str();
}

/// What drawing a chunk costs.
void add_costs(CLI::App& command, SimulateRequest& request) {
    command.add_option("--level", request.level, "Drawing costs of threads or ranks; default: the application's")
        ->check(one_of({"threads", "ranks"}));
    command.add_option("--dispatch-ns", request.dispatch_ns, "One draw: threads 100, ranks 5000")->check(positive());
    command.add_option("--serial-ns", request.serial_ns, "Its exclusive part: threads 40, ranks 1090")
        ->check(positive());
}

/// What makes workers and chunks differ.
void add_disturbances(CLI::App& command, simulate::Disturbances& disturbances) {
    const auto part = finite(0.0, 0.99);
    command.add_option("--noise", disturbances.worker_noise, "Deviation of each worker's speed, anew in each step")
        ->check(part);
    command.add_option("--chunk-noise", disturbances.chunk_noise, "Deviation of each chunk's time")->check(part);
    CLI::Option* const interruptions =
        command.add_option("--interruptions", disturbances.interruptions_per_s, "Of each worker, per second")
            ->check(positive());
    command.add_option("--interruption-us", disturbances.interruption_us, "How long each lasts")
        ->check(positive())
        ->needs(interruptions)
        ->capture_default_str();
    command.add_option("--spread", disturbances.spread, "Speeds lie between 1 - s and 1 + s")->check(part);
    CLI::Option* const drift =
        command.add_option("--drift", disturbances.drift, "Speeds swing by this part, each at another time")
            ->check(part);
    command.add_option("--drift-steps", disturbances.drift_steps, "In so many steps")
        ->check(finite(1.0, 1e12))
        ->needs(drift);
    CLI::Option* const slow = command.add_option("--slow-worker", disturbances.slow_worker, "This worker is slow ...")
                                  ->check(CLI::Range(0, 1 << 16));
    command.add_option("--slow-factor", disturbances.slow_factor, "... by this factor ...")
        ->check(finite(0.01, 1e6))
        ->needs(slow);
    command.add_option("--slow-first", disturbances.slow_first, "... from this step ...")->needs(slow);
    command.add_option("--slow-end", disturbances.slow_end, "... until before this one")->needs(slow);
}

/// How exactly it is computed, and what is printed of it.
void add_results(CLI::App& command, SimulateRequest& request) {
    command.add_option("--events", request.most_events, "Bundle equal chunks to about so many per step; 0: never")
        ->capture_default_str();
    command.add_flag("--free-learning", request.free_learning,
                     "Choosing, learning and planning take no time; else what they take on a real core");
    command.add_flag("--json", request.json, "One JSON object instead of a table");
    command.add_flag("--steps-json", request.steps_json, "The same with the loop time of every step");
    command.add_option("--record", request.record, "Write every step to this file, as GIMBAL_RECORD does");
}

}  // namespace

void print_warnings() {
    for (const std::string& warning : warnings()) write_stderr("gimbal: warning: " + escape_controls(warning) + "\n");
}

std::unique_ptr<simulate::Application> named_application(const SimulateRequest& request) {
    simulate::ApplicationRequest wanted = simulate::parse_application(request.application);
    wanted.workers = request.workers;
    wanted.iterations = request.iterations;
    wanted.steps = request.steps;
    wanted.seed = options().seed;
    wanted.ranks = request.ranks;
    return simulate::make_application(std::move(wanted));
}

void set_drawing_costs(const SimulateRequest& request, simulate::Machine& machine) {
    if (request.serial_ns) machine.serial = *request.serial_ns;
    // A draw takes at least as long as its exclusive part.
    machine.dispatch = std::max(request.dispatch_ns.value_or(machine.dispatch), machine.serial);
}

void add_simulate(CLI::App& app, SimulateRequest& request) {
    CLI::App* const command = app.add_subcommand("simulate", "Run the loops of an application in virtual time");
    add_loops(*command, request);
    add_choice(*command, request);
    add_costs(*command, request);
    add_disturbances(*command, request.disturbances);
    add_results(*command, request);
    add_pair_options(*command, request);
    add_slack_options(*command, request);
    add_selfish(*command, request.selfish);
    command->footer("Applications:\n" + std::string(simulate::application_help()) + kExamples);
}

int simulate_application(const SimulateRequest& request) {
    if (request.application.empty() && request.trace.empty())
        throw Error(ErrorCode::wrong_use, "--app or --trace is required", "see: gimbal simulate --help");
    check_keeps_input(request.record, request.trace);
    check_replaces_own_kind("--record", request.record, kStepsFile, "name another file");
    settle_options(request);
    check_replay(request);
    warn_of_idle_settings();
    if (request.dispatch_ns && request.serial_ns && *request.serial_ns > *request.dispatch_ns)
        throw Error(ErrorCode::wrong_use, "--serial-ns is a part of --dispatch-ns, and cannot be more", "");
    if (request.disturbances.slow_end <= request.disturbances.slow_first)
        throw Error(ErrorCode::wrong_use, "--slow-end is not after --slow-first: no step would be slow",
                    "allowed: more than " + std::to_string(request.disturbances.slow_first));
    set_option("background", "off");  // else it would depend on this machine when predictions arrive
    std::unique_ptr<simulate::Application> application =
        request.trace.empty() ? named_application(request) : recorded_application(request);
    if (request.disturbances.slow_worker >= static_cast<std::int64_t>(application->workers))
        throw Error(ErrorCode::wrong_use,
                    "--slow-worker: there is no worker " + std::to_string(request.disturbances.slow_worker),
                    "allowed: 0 to " + std::to_string(application->workers - 1));
    if (request.slack) return simulate_slack(request, experiment_of(request, *application));
    if (request.ranks > 0) {
        if (!application->same_trips)
            throw Error(ErrorCode::wrong_use, "--ranks: executions of the loop have different numbers of iterations",
                        "leave --ranks out, or name another loop with --loop");
        return simulate_pairs(request, std::move(application));
    }
    const simulate::Experiment experiment = experiment_of(request, *application);
    std::vector<LoopSums> sums(application->loops.size());
    std::string rows(kStepsHeader);
    simulate::run_experiment(experiment, [&](const simulate::ExperimentStep& seen) {
        LoopSums& loop = sums[seen.loop];
        const double step_time = seen.step->loop_time + seen.learning;
        loop.loop_time += step_time;
        loop.learning += seen.learning;
        loop.ideal += seen.ideal;
        loop.busy_max += seen.step->busy_max;
        loop.busy_mean += seen.step->busy_mean;
        loop.chunks += seen.step->chunks;
        ++loop.executions;
        ++loop.choices[to_string(seen.step->schedule)];
        if (request.steps_json) loop.steps_s.push_back(step_time * kTick_s);
        if (!request.record.empty()) append_row(rows, application->name + " " + application->loops[seen.loop], seen);
    });
    print_warnings();
    if (!request.record.empty()) write_file_aside(request.record, rows);
    if (request.json || request.steps_json) return print_record(request, *application, sums);
    return print_table(*application, sums);
}

}  // namespace gimbal::tool
