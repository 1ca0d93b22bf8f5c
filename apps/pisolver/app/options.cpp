// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <map>

namespace pisolver {

namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinMean = 200;      // with fewer steps the next term of the midpoint rule's error shows
constexpr std::int64_t kMaxMean = 1000000;  // with more, rounding does
constexpr double kMaxImbalance = 30.0;
constexpr double kMostNsPerStep = 1000.0;

}  // namespace

Options parse_options(int argc, char** argv, int ranks, bool speak) {
    Options options;
    Work& work = options.work;
    std::int64_t blocks = 0;
    auto seed = static_cast<std::int64_t>(work.seed);
    const CLI::Range count(std::int64_t{1}, kMaxCount);
    const std::map<std::string, Spread> spreads{{"block", Spread::block}, {"iid", Spread::iid}};

    CLI::App app{
        "Pi by the midpoint rule, again and again: iterations whose cost differs by as much as is asked for, on MPI\n"
        "ranks. Either every rank could run every iteration, or ranks own iterations and steal (--distributed).",
        "pisolver"};
    app.add_option("--iterations", work.iterations, "iterations of the loop")->check(count)->capture_default_str();
    app.add_option("--mean", work.mean, "midpoint steps of an iteration, on average")
        ->check(CLI::Range(kMinMean, kMaxMean))
        ->capture_default_str();
    app.add_option("--imbalance", work.imbalance, "standard deviation of the steps before they are cut [% of the mean]")
        ->capture_default_str();
    app.add_option("--dist", work.spread, "block: one value for each block of iterations; iid: one for each iteration")
        ->transform(CLI::CheckedTransformer(spreads).description(""))
        ->type_name("block|iid")
        ->default_str("block");
    app.add_option("--blocks", blocks, "number of such blocks; 0: as many as there are ranks")
        ->check(CLI::Range(std::int64_t{0}, kMaxCount))
        ->capture_default_str();
    app.add_option("--seed", seed, "of the steps")
        ->check(CLI::Range(std::int64_t{0}, kMaxCount))
        ->capture_default_str();
    app.add_option("--ns-per-step", options.ns_per_step,
                   "how long a midpoint step lasts at least [ns]: iterations sleep for the rest, so that ranks which "
                   "share cores balance like ranks that have their own; 0: no sleeping")
        ->capture_default_str();
    app.add_option("--steps", options.steps, "time steps")->check(count)->capture_default_str();
    app.add_option("--warm-up", options.warm_up, "time steps before those, which are not timed")
        ->check(CLI::Range(std::int64_t{0}, kMaxCount))
        ->capture_default_str();
    app.add_flag("--distributed", options.distributed, "a rank holds its own iterations only; others steal them");
    app.add_option("--schedule", options.schedule,
                   "static: equal blocks, without Gimbal; loop: GIMBAL_MPI_SCHEDULE or stealing; or a schedule's name")
        ->capture_default_str();
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.command_line = apps::read_command_line(
        app, argc, argv,
        [&] {
            apps::require(work.imbalance >= 0.0 && work.imbalance <= kMaxImbalance, "--imbalance",
                          "must lie between 0 and 30");  // CLI11's own range check lets a NaN pass
            apps::require(options.ns_per_step >= 0.0 && options.ns_per_step <= kMostNsPerStep, "--ns-per-step",
                          "must lie between 0 and 1000");
            apps::require(!options.schedule.empty(), "--schedule", "must not be empty");
            apps::require(!options.distributed || options.schedule == "static" || options.schedule == "loop",
                          "--schedule", "is static or loop where items are --distributed");
        },
        speak);
    work.blocks = blocks > 0 ? blocks : ranks;
    work.seed = static_cast<std::uint64_t>(seed);
    return options;
}

}  // namespace pisolver
