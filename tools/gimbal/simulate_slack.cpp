// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate_command.hpp"

#include <algorithm>
#include <array>
#include <CLI/CLI.hpp>
#include <optional>
#include <vector>

#include "experiment/rank_slack.hpp"
#include "help_format.hpp"
#include "info_command.hpp"
#include "report/table.hpp"

namespace gimbal::tool {

namespace {

constexpr double kTick_s = 1e-9;

/// What all processes run in one row of the table.
struct Row {
    std::string_view name, technique;
    std::string_view base;  // what the name is without slack; empty: it never uses any
};
constexpr std::array<Row, 6> kRows = {{{"static", "static", ""},
                                       {"dynamic", "ss", ""},
                                       {"usched", "usched", ""},
                                       {"callpath-fd", "usched", "usched"},
                                       {"vsched", "vsched", ""},
                                       {"full", "vsched", "vsched"}}};

using Results = std::array<simulate::RankSlackTotals, kRows.size()>;  // of each row

const simulate::RankSlackTotals& totals_of(const Results& results, std::string_view name) {
    const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.name == name; });
    return results[static_cast<std::size_t>(row - kRows.begin())];
}

Json json_of(const Row& row, const Results& results, std::uint64_t steps) {
    const simulate::RankSlackTotals& totals = totals_of(results, row.name);
    Json json = {{"total_s", totals.total * kTick_s},
                 {"tail_s", totals.tail * kTick_s},
                 {"tail_steps", steps - steps / 2},
                 {"tail_waiting_s", totals.tail_waiting * kTick_s},
                 {"settled", totals.settled}};
    if (totals.base_fraction >= 0) json["static_fraction"] = totals.used_fraction;
    if (row.base.empty()) return json;
    json["base"] = row.base;
    json["base_fraction"] = totals.base_fraction;
    json["over_base"] = totals.tail / totals_of(results, row.base).tail;
    json["most_saved"] = totals.tail_saved / totals.tail;
    json["executions"] = totals.executions;
    json["predicted"] = totals.predicted;
    json["over_predicted"] = totals.over;
    json["predicted_and_last"] = totals.last;
    return json;
}

int print_results_json(const SimulateRequest& request, const simulate::Application& application,
                       const Results& results) {
    Json techniques = Json::object();
    for (const Row& row : kRows) techniques[std::string(row.name)] = json_of(row, results, application.steps);
    return print_json({{"app", application.name},
                       {"ranks", request.ranks},
                       {"threads", application.workers},
                       {"iterations", application.iterations},
                       {"steps", application.steps},
                       {"techniques", techniques}});
}

int print_results(const SimulateRequest& request, const simulate::Application& application, const Results& results) {
    using Side = TextTable::Side;
    TextTable table({"technique", "total_s", "tail_s", "over static", "over base", "at most saved", "waiting", "f_s",
                     "used f_s", "slack expected", "too much", "was last"},
                    {Side::left, Side::right, Side::right, Side::right, Side::right, Side::right, Side::right,
                     Side::right, Side::right, Side::right, Side::right, Side::right});
    const double plain = totals_of(results, "static").tail;
    for (const Row& row : kRows) {
        const simulate::RankSlackTotals& totals = totals_of(results, row.name);
        const bool slack = !row.base.empty();
        const auto of_all = [&](std::uint64_t count) {
            return slack ? per_cent(static_cast<double>(count) / static_cast<double>(totals.executions)) : "";
        };
        const bool fraction = totals.base_fraction >= 0;
        table.add({std::string(row.name), seconds(totals.total * kTick_s), seconds(totals.tail * kTick_s),
                   fixed(totals.tail / plain, 4),
                   slack ? fixed(totals.tail / totals_of(results, row.base).tail, 4) : "",
                   slack ? per_cent(totals.tail_saved / totals.tail) : "", per_cent(totals.tail_waiting / totals.tail),
                   fraction ? fixed(totals.base_fraction, 3) : "", fraction ? fixed(totals.used_fraction, 3) : "",
                   of_all(totals.predicted), of_all(totals.over), of_all(totals.last)});
    }
    const std::uint64_t steps = application.steps;
    return print_text(application.name + ": " + count(steps, "step", "steps") + " of " +
                      count(application.iterations, "iteration", "iterations") + " on each of " +
                      count(request.ranks, "rank", "ranks") + " x " + count(application.workers, "thread", "threads") +
                      ", a collective call after each loop, in virtual time\ntail: the last " +
                      count(steps - steps / 2, "step", "steps") + ", which all other columns are of\n" + table.text());
}

}  // namespace

void add_slack_options(CLI::App& command, SimulateRequest& request) {
    CLI::Option* const slack =
        command
            .add_flag(
                "--slack", request.slack,
                "Every rank runs all iterations, then a collective call: static, dynamic, usched, vsched, and "
                "these with the\nslack that they may expect, as callpath-fd and full; the user guide explains the "
                "columns")
            ->needs(command.get_option("--ranks"));
    for (const char* const other : {"--schedule", "--select", "--record", "--steps-json", "--rank-schedule",
                                    "--learner", "--portfolio", "--rank-chunk-us", "--team-barrier-us", "--runs"})
        slack->excludes(command.get_option(other));
    command.add_option("--rank-spread", request.rank_spread, "Costs of ranks lie between 1 - s and 1 + s")
        ->check(finite(0.0, 0.99))
        ->needs(slack);
    command
        .add_flag("--published-rule", request.published,
                  "The time in the last call counts as slack, all of it, if it is 0.1 ms at least")
        ->needs(slack);
    command.add_option("--collective-us", request.collective_us, "What the call takes from the last arrival on")
        ->check(finite(0.0, 1e9))
        ->needs(slack)
        ->capture_default_str();
    command
        .add_option("--fraction", request.fraction, "f_s of usched and vsched before slack; default: they search it")
        ->check(finite(0.0, 1.0))
        ->needs(slack);
    command.add_option("--chunk", request.chunk, "Chunk of all but static; default: 1 for dynamic, others measured")
        ->check(CLI::Range(1UL, 1UL << 32))
        ->needs(slack);
}

int simulate_slack(const SimulateRequest& request, const simulate::Experiment& process) {
    simulate::RankSlackExperiment experiment{.process = process,
                                             .ranks = request.ranks,
                                             .rank_spread = request.rank_spread,
                                             .rank_noise = request.step_noise,
                                             .collective = 1e3 * request.collective_us};
    Results results;
    for (std::size_t k = 0; k < kRows.size(); ++k) {
        const Row& row = kRows[k];
        experiment.process.request.schedule = {.technique = find_technique(row.technique)};
        if (row.name != "static") experiment.process.request.schedule.chunk = request.chunk;
        experiment.process.request.schedule.fraction = request.fraction;
        experiment.rule = row.base.empty()    ? simulate::SlackRule::none
                          : request.published ? simulate::SlackRule::published
                                              : simulate::SlackRule::trusted;
        results[k] = simulate::run_rank_slack(experiment);
    }
    print_warnings();
    return request.json ? print_results_json(request, *process.application, results)
                        : print_results(request, *process.application, results);
}

}  // namespace gimbal::tool
