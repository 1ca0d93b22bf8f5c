// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/clock.hpp"
#include "common/turns.h"
#include "mpi_exchange.hpp"
#include "program.hpp"
#include "results.hpp"
#include "simulation.hpp"

#include <gimbal/error.hpp>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>

namespace {

using namespace evrard;

constexpr int kWrongInput = 2;  // options or output
constexpr int kFailed = 1;      // anything else

/// Do something on rank 0 that may fail for a reason of the machine's, which the others do not see.
/// @return whether it went well, on all ranks; if not, rank 0 has said why
template <class Work>
bool on_root(const MpiExchange& exchange, const Work& work) {
    bool good = true;
    if (exchange.rank() == 0) {
        try {
            work();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "evrard: error: %s\n", error.what());
            good = false;
        }
    }
    return exchange.agree(good);
}

/// @return the first multiple of `every` after `time`
double multiple_after(double time, double every) {
    const double next = every * (std::floor(time / every) + 1.0);
    return next > time ? next : next + every;  // the quotient may be rounded down
}

/// @return the program's exit code
int simulate(const Options& options, MpiExchange& exchange) {
    const double begin_s = apps::wall_s();
    exchange.use_schedule(options.rank_schedule);
    Simulation simulation(options.config, exchange);
    Results results(options);
    Progress progress(exchange.rank() == 0 && !options.quiet, options.end_time, options.steps);
    if (!on_root(exchange, [&] { results.begin(simulation); })) return kWrongInput;

    double next_snapshot = options.snapshot_every;
    while (simulation.steps() < options.steps && simulation.time() < options.end_time) {
        simulation.step(options.end_time);
        const bool save = options.snapshot_every > 0.0 && simulation.time() >= next_snapshot;
        if (save) next_snapshot = multiple_after(simulation.time(), options.snapshot_every);
        const bool good = on_root(exchange, [&] {
            results.add_step(simulation);
            if (save) results.save(simulation);
        });
        if (!good) return kWrongInput;
        progress.show(simulation);
        end_of_step();
    }
    progress.clear();
    if (!on_root(exchange, [&] { results.save(simulation); })) return kWrongInput;
    print_report(simulation, exchange, apps::wall_s() - begin_s, options);
    return 0;
}

int run(int argc, char** argv, MpiExchange& exchange) {
    const bool root = exchange.rank() == 0;
    try {
        const Options options = parse_options(argc, argv, root);
        return options.exit_code ? *options.exit_code : simulate(options, exchange);
    } catch (const gimbal::Error& error) {
        const bool alike = error.code() != gimbal::ErrorCode::mpi;  // then all ranks have met it
        if (root || !alike) {
            std::fprintf(stderr, "evrard: error: %s%s%s\n", error.what(), error.hint().empty() ? "" : "; ",
                         error.hint().c_str());
        }
        if (!alike) MpiExchange::abort();
        return error.code() == gimbal::ErrorCode::invalid_option ? kWrongInput : kFailed;
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit shows as a failed write, with a message
    MpiExchange exchange(argc, argv);
    int code = kFailed;
    try {
        code = run(argc, argv, exchange);
    } catch (const std::exception& error) {
        // Ranks are replicas: they fail alike, and one message is enough.
        if (exchange.rank() == 0) std::fprintf(stderr, "evrard: error: %s\n", error.what());
    }
    if (exchange.rank() == 0 && std::fflush(stdout) != 0) {
        std::fprintf(stderr, "evrard: error: cannot write to standard output\n");
        code = kWrongInput;
    }
    return code;
}
