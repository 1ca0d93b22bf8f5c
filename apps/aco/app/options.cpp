// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "library.hpp"

#include <omp.h>
#include <sched.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <thread>

namespace aco {

namespace {

constexpr std::int64_t kMaxAnts = 100'000;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr int kMaxThreads = 4096;

bool is_set(const std::string& name) {
    return name == "wt40" || name == "wt50" || name == "wt100";
}

/// SET:NUMBER, as in wt40:1.
void read_instance(const std::string& text, Options& options) {
    const std::size_t colon = text.find(':');
    options.set = text.substr(0, colon);
    const char* const end = text.data() + text.size();
    bool good = colon != std::string::npos && is_set(options.set);
    if (good) {
        const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, options.number);
        good = failure == std::errc{} && stop == end && options.number >= 1 && options.number <= kInstancesPerSet;
    }
    apps::require(good, "--instance", "must be wt40:N, wt50:N or wt100:N with N from 1 to 125");
}

/// As many as the processors that this program may use; for OpenMP, as many as it gives a team.
int default_threads(Variant variant) {
    if (variant == Variant::openmp) return omp_get_max_threads();
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    // Fails where processors have numbers above 1023; the standard library does not see what taskset leaves.
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

struct Words {
    std::string variant = "farm";
    std::string barrier = "each";
    std::string instance = "wt40:1";
    std::string all;
};

/// What CLI11's own checks cannot see.
void apply(const Words& words, const CLI::App& app, Options& options) {
    apps::require(words.variant == "farm" || words.variant == "openmp", "--variant", "must be farm or openmp");
    apps::require(words.barrier == "each" || words.barrier == "none", "--barrier", "must be each or none");
    options.variant = words.variant == "farm" ? Variant::farm : Variant::openmp;
    options.search.barrier = words.barrier == "each" ? Barrier::each : Barrier::none;
    if (options.threads == 0) options.threads = default_threads(options.variant);
    if (app.count("--all") > 0) {
        apps::require(app.count("--instance") == 0, "--all", "excludes --instance");
        apps::require(is_set(words.all), "--all", "must be wt40, wt50 or wt100");
        options.set = words.all;
        options.number = 0;
    } else {
        read_instance(words.instance, options);
    }
    const Search& search = options.search;
    if (search.barrier == Barrier::none) {
        apps::require(search.ants % search.colony == 0, "--ants", "must be a multiple of --colony without barriers");
    } else {
        apps::require(app.count("--colony") == 0, "--colony", "needs --barrier none");
    }
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    options.data = ACO_DATA;
    Search& search = options.search;
    Words words;
    const CLI::Range ants(std::int64_t{1}, kMaxAnts);
    CLI::App app{
        "Ant colony optimisation of total weighted tardiness on a single machine. The answer does not depend on "
        "threads,\n"
        "their number, where they run, or who carries which ant.",
        "aco"};
    app.add_option("--instance", words.instance, "SET:NUMBER of OR-Library: wt40, wt50 or wt100, and 1 to 125")
        ->capture_default_str();
    app.add_option("--all", words.all, "all instances of a set, one after the other");
    app.add_option("--ants", search.ants, "ants per iteration")->check(ants)->capture_default_str();
    app.add_option("--iterations", search.iterations, "iterations")
        ->check(CLI::Range(std::int64_t{1}, kMaxCount))
        ->capture_default_str();
    app.add_option("--variant", words.variant,
                   "farm: POSIX threads, each with its part of the ants; openmp: loops, shared out by OMP_SCHEDULE")
        ->capture_default_str();
    app.add_option("--threads", options.threads, "threads; by default as many as there are processors for them")
        ->check(CLI::Range(1, kMaxThreads));
    app.add_option("--barrier", words.barrier,
                   "each: all meet after each iteration, and learn from all; none: small colonies that never meet")
        ->capture_default_str();
    app.add_option("--colony", search.colony, "ants per colony without barriers")->check(ants)->capture_default_str();
    app.add_option("--repeat", options.repeat, "do the same this many times, on the same threads")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    apps::add_seed(app, search.seed, "seed of all ants");
    app.add_option("--data", options.data, "folder of the instances");
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.exit_code = apps::read_command_line(app, argc, argv, [&] { apply(words, app, options); });
    return options;
}

}  // namespace aco
