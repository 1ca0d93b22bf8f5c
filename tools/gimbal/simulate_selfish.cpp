// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate_command.hpp"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

#include "experiment/selfish_bound.hpp"
#include "gimbal/error.hpp"
#include "help_format.hpp"
#include "info_command.hpp"
#include "report/run_record.hpp"
#include "report/table.hpp"

namespace gimbal::tool {

namespace {

using simulate::SelfishUpdate;

constexpr std::uint32_t kRuleTests = 101;
constexpr double kSolved_c = 1e6;  // a largest coefficient beyond this counts as diverging

const std::map<std::string, SelfishUpdate> kUpdates = {
    {"decaying", SelfishUpdate::decaying}, {"constant", SelfishUpdate::constant}, {"sigmoid", SelfishUpdate::squashed}};

const std::map<std::string, learn::AgentKind> kAgents = {{"q", learn::AgentKind::q},
                                                         {"double-q", learn::AgentKind::double_q},
                                                         {"sarsa", learn::AgentKind::sarsa},
                                                         {"expected-sarsa", learn::AgentKind::expected_sarsa},
                                                         {"dqn", learn::AgentKind::dqn}};

/// One learner over all seeds.
struct Row {
    std::string name;
    std::string kind;
    std::vector<std::uint32_t> quanta;                  // [seeds] median of the last test
    std::vector<std::uint32_t> best = {};               // [seeds] of the best test
    std::vector<double> largest = {};                   // [seeds] |coefficient| at the end
    std::vector<simulate::SelfishOutcome> curves = {};  // [seeds]
};

std::size_t solved(const std::vector<std::uint32_t>& quanta, std::uint32_t most) {
    return static_cast<std::size_t>(std::count_if(quanta.begin(), quanta.end(), [&](auto one) { return one < most; }));
}

std::size_t diverged(const Row& row) {
    return static_cast<std::size_t>(
        std::count_if(row.largest.begin(), row.largest.end(), [](double one) { return !(one < kSolved_c); }));
}

template <class Run>
std::vector<std::uint32_t> over_seeds(const SelfishRequest& request, Run run) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t k = 0; k < request.seeds; ++k) found.push_back(run(request.seed + k));
    return found;
}

Row linear_row(const SelfishRequest& request, const std::string& name, SelfishUpdate update) {
    simulate::SelfishTraining training = request.training;
    training.update = update;
    Row row{.name = name, .kind = "linear", .quanta = {}};
    row.quanta = over_seeds(request, [&](std::uint64_t seed) {
        row.curves.push_back(simulate::train_selfish(request.world, training, seed));
        row.largest.push_back(row.curves.back().largest.back());
        row.best.push_back(row.curves.back().best());
        return row.curves.back().median.back();
    });
    return row;
}

Row agent_row(const SelfishRequest& request, const std::string& name, learn::AgentKind kind) {
    learn::Parameters parameters;
    parameters.agent = kind;
    parameters.policy = learn::PolicyKind::epsilon_greedy;
    parameters.reward = learn::RewardKind::looptime_average;
    return {.name = name, .kind = "agent", .quanta = over_seeds(request, [&](std::uint64_t seed) {
                                               return simulate::train_on_rules(request.world, parameters,
                                                                               request.training.epochs,
                                                                               request.training.tests, seed);
                                           })};
}

std::vector<Row> all_rows(const SelfishRequest& request) {
    std::vector<Row> rows;
    const bool all = request.learner == "all";
    for (const char* const name : {"decaying", "constant", "sigmoid"})
        if (all || request.learner == name) rows.push_back(linear_row(request, name, kUpdates.at(name)));
    for (const char* const name : {"q", "double-q", "sarsa", "expected-sarsa", "dqn"})
        if (all || request.learner == name) rows.push_back(agent_row(request, name, kAgents.at(name)));
    for (const std::string_view name : simulate::selfish_rule_names()) {
        if (!all && request.learner != "rules") continue;
        rows.push_back(
            {.name = std::string(name), .kind = "rule", .quanta = over_seeds(request, [&](std::uint64_t seed) {
                                                            return simulate::test_rule(request.world, name, kRuleTests,
                                                                                       seed);
                                                        })});
    }
    for (const bool reallocate : {true, false}) {
        if (!request.plan) break;
        const simulate::SelfishPlan plan(request.world, reallocate);
        const auto act = [&](simulate::SelfishWorld& world) { world.act(plan.best(world)); };
        rows.push_back({.name = reallocate ? "plan" : "plan-at-start",
                        .kind = "bound",
                        .quanta = over_seeds(request, [&](std::uint64_t seed) {
                            return simulate::test_policy(request.world, kRuleTests, seed, act);
                        })});
    }
    rows.push_back({.name = "bound", .kind = "bound", .quanta = over_seeds(request, [&](std::uint64_t seed) {
                                                          return simulate::test_bound(request.world, kRuleTests, seed);
                                                      })});
    return rows;
}

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

int print_rows_json(const SelfishRequest& request, const std::vector<Row>& rows) {
    const std::uint32_t most = request.world.most_quanta;
    Json found = Json::array();
    for (const Row& row : rows) {
        Json one = {{"name", row.name},
                    {"kind", row.kind},
                    {"quanta", row.quanta},
                    {"median", simulate::median_of(row.quanta)},
                    {"success_rate", static_cast<double>(solved(row.quanta, most)) / request.seeds}};
        if (!row.largest.empty()) {
            one["best_median"] = simulate::median_of(row.best);
            one["best_success_rate"] = static_cast<double>(solved(row.best, most)) / request.seeds;
            one["diverged"] = diverged(row);
            one["largest"] = Json::array();
            for (const double largest : row.largest) one["largest"].push_back(number(largest));
            one["epochs"] = row.curves.front().epochs;
            one["curves"] = Json::array();
            for (const simulate::SelfishOutcome& curve : row.curves) one["curves"].push_back(curve.median);
        }
        found.push_back(std::move(one));
    }
    return print_json({{"processors", request.world.processors},
                       {"beta", request.world.beta},
                       {"arrivals", request.world.arrivals},
                       {"service", request.world.service},
                       {"work_s", request.world.work_s},
                       {"alpha", request.training.alpha},
                       {"gamma", request.training.gamma},
                       {"seeds", request.seeds},
                       {"most_quanta", most},
                       {"rows", found}});
}

int print_rows(const SelfishRequest& request, const std::vector<Row>& rows) {
    using Side = TextTable::Side;
    const std::uint32_t most = request.world.most_quanta;
    TextTable table(
        {"who decides", "kind", "median quanta", "seeds that finish", "best test", "finish at best", "diverged"},
        {Side::left, Side::left, Side::right, Side::right, Side::right, Side::right, Side::right});
    const auto of_seeds = [&](std::size_t count) {
        return std::to_string(count) + "/" + std::to_string(request.seeds);
    };
    const auto quanta = [&](std::uint32_t value) {
        return value < most ? std::to_string(value) : std::string("stuck");
    };
    for (const Row& row : rows) {
        const bool linear = !row.largest.empty();
        table.add({row.name, row.kind, quanta(simulate::median_of(row.quanta)), of_seeds(solved(row.quanta, most)),
                   linear ? quanta(simulate::median_of(row.best)) : "", linear ? of_seeds(solved(row.best, most)) : "",
                   linear ? of_seeds(diverged(row)) : ""});
    }
    return print_text(std::to_string(request.world.steps) + " steps on " + std::to_string(request.world.processors) +
                      " processors among other people's jobs; quanta of " + fixed(request.world.quantum_s, 0) +
                      " s, in virtual time\n" + table.text());
}

void add_world(CLI::App& command, simulate::SelfishSettings& world) {
    const auto given = [&](const char* name, auto& value, const char* help, double low, double high) {
        CLI::Option* const option = command.add_option(name, value, help)->capture_default_str();
        if constexpr (std::is_integral_v<std::remove_reference_t<decltype(value)>>)
            option->check(CLI::Range(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
        else
            option->check(finite(low, high));
    };
    given("--processors", world.processors, "n", 1, 64);
    given("--steps", world.steps, "Steps of the computation", 1, 1000);
    given("--beta", world.beta, "Of f = e^(-beta r), what r other jobs leave of a quantum", 0, 100);
    given("--work", world.work_s, "Of a step, on each processor without other jobs [s]", 0.001, 1e6);
    given("--arrivals", world.arrivals, "Other jobs that come to a processor in a quantum, mean", 0, 10);
    given("--service", world.service, "Mean service of a job [quanta]", 0.1, 1e6);
    given("--swing", world.swing, "How much arrivals follow the time of day", 0, 1);
    given("--spread", world.spread, "How much arrivals differ between processors", 0, 1);
    given("--start-hour", world.start_h, "Time of day at which it begins [h]", 0, 24);
    given("--delay", world.boltzmann_delay, "Quanta until an allocation by loads is there", 0, 100);
    given("--cost", world.action_cost, "Of every action", 0, 1e6);
    given("--reward", world.reward, "Of completing the last step", 0, 1e9);
    given("--most-quanta", world.most_quanta, "A run that takes longer is stuck", 1, 1e6);
}

}  // namespace

void add_selfish(CLI::App& simulate, SelfishRequest& request) {
    CLI::App* const command = simulate.add_subcommand(
        "selfish", "Learn when to reallocate work among other people's jobs (Majercik, Littman 1996)");
    add_world(*command, request.world);
    simulate::SelfishTraining& training = request.training;
    command
        ->add_option(
            "--learner", request.learner,
            "decaying, constant, sigmoid (linear Q-learning); q, double-q, sarsa, expected-sarsa, dqn; rules; all")
        ->check(CLI::IsMember(
            {"decaying", "constant", "sigmoid", "q", "double-q", "sarsa", "expected-sarsa", "dqn", "rules", "all"}))
        ->capture_default_str();
    command->add_option("--alpha", training.alpha, "Learning rate")->check(finite(0, 1))->capture_default_str();
    command->add_option("--gamma", training.gamma, "Discount factor")->check(finite(0, 1))->capture_default_str();
    command->add_option("--epochs", training.epochs, "Runs to learn from")->check(CLI::Range(1, 1'000'000));
    command->add_option("--test-every", training.test_every, "Epochs from test to test")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--tests", training.tests, "Runs of a test; the median counts")->check(CLI::Range(1, 1000));
    command->add_option("--scaled", training.scaled, "Features within 0 and 1 (true, false)")->capture_default_str();
    command->add_option("--interactions", training.interactions, "R x J as features, too (true, false)")
        ->capture_default_str();
    command->add_option("--seeds", request.seeds, "Trainings of each learner")->check(CLI::Range(1, 1000));
    command->add_option("--seed", request.seed, "Of the first one")->check(CLI::Range(0UL, 1UL << 40));
    command->add_flag("--plan", request.plan, "Value iteration as well; two processors");
    command->add_flag("--json", request.json, "One JSON object with every test instead of a table");
    command->footer(
        "Examples:\n"
        "  gimbal simulate selfish --learner rules --processors 8 --arrivals 0.1\n"
        "  gimbal simulate selfish --processors 2 --plan");
}

int simulate_selfish(const SelfishRequest& request) {
    if (request.plan && request.world.processors != 2)
        throw Error(ErrorCode::wrong_use, "--plan: value iteration is for two processors", "add --processors 2");
    const std::vector<Row> rows = all_rows(request);
    return request.json ? print_rows_json(request, rows) : print_rows(request, rows);
}

}  // namespace gimbal::tool
