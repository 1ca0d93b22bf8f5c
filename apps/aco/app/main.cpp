// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/clock.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "library.hpp"
#include "program.hpp"
#include "search.hpp"

#include <memory>
#include <stdexcept>

namespace {

using namespace aco;

/// One instance, as often as is asked for. Every repeat must find the same, which sees a fault of memory or threads.
void solve(const Options& options, const Library& library, std::size_t number, Crew& crew, Result& result) {
    Outcome outcome;
    for (int repeat = 0; repeat < options.repeat; ++repeat) {
        Outcome again;
        const double seconds =
            apps::seconds_of([&] { again = crew.search(library.instances[number - 1], options.search); });
        result.completion.times_s.push_back(seconds);
        if (repeat > 0 && again != outcome) throw std::runtime_error("a repeat found something else");
        outcome = again;
    }
    if (tardiness(library.instances[number - 1], outcome.order) != outcome.tardiness) {
        throw std::runtime_error("the best schedule does not have the tardiness that its ant said");
    }
    result.answers.push_back({number, outcome.tardiness, library.listed[number - 1]});
    result.checksum += apps::mix(number + apps::mix(outcome.checksum));
}

Result run(const Options& options) {
    const Library library = load_library(options.data, options.set);
    const std::unique_ptr<Crew> crew =
        options.variant == Variant::farm ? make_farm(options.threads) : make_team(options.threads);
    Result result;
    result.jobs = library.instances.front().jobs();
    result.completion.name = "search";
    const std::size_t first = options.number > 0 ? options.number : 1;
    const std::size_t last = options.number > 0 ? options.number : library.instances.size();
    for (std::size_t number = first; number <= last; ++number) solve(options, library, number, *crew, result);
    result.threads = crew->work();
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse_options(argc, argv);
    if (options.exit_code) return *options.exit_code;
    return apps::run_program("aco", [&] {
        const Result result = run(options);
        print_table(options, result);
        if (options.json) print_json(options, result);
    });
}
