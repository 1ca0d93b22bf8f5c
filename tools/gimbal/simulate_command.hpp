// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "experiment/disturbance.hpp"
#include "experiment/selfish_learning.hpp"
#include "experiment/selfish_world.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gimbal::simulate {
class Application;
struct Experiment;
struct Machine;
}  // namespace gimbal::simulate

namespace gimbal::tool {

/// What `gimbal simulate selfish` was asked for.
struct SelfishRequest {
    simulate::SelfishSettings world;
    simulate::SelfishTraining training;
    std::string learner = "all";
    std::uint32_t seeds = 11;
    std::uint64_t seed = 1;
    bool plan = false;
    bool json = false;
};

/// Add the command `simulate selfish`. @param request  out: filled when the command line is parsed
void add_selfish(CLI::App& simulate, SelfishRequest& request);

/// Train the learners of seed 002 among other people's jobs, and print what they and the plain rules take.
/// @return 0  @errors gimbal::Error: wrong use
int simulate_selfish(const SelfishRequest& request);

inline constexpr std::uint64_t kMaxSeed = std::uint64_t{1} << 53;  // as GIMBAL_SEED has it

/// What `gimbal simulate` was asked for.
struct SimulateRequest {
    std::string application;       ///< name:key=value,key=value; empty: a trace
    std::string trace;             ///< file; empty: an application
    std::string loop;              ///< of the trace: only loops whose name contains it
    std::uint32_t workers = 0;     ///< 0: the application's own
    std::uint64_t iterations = 0;  ///< 0: the application's own
    std::uint64_t steps = 0;       ///< 0: the application's own
    std::string schedule;          ///< empty: not given
    std::string selector;          ///< empty: not given
    std::string seed = "1";
    std::string level;  ///< threads or ranks; empty: the application's own
    std::optional<double> dispatch_ns, serial_ns;
    simulate::Disturbances disturbances;
    std::uint64_t most_events = 20'000;
    bool free_learning = false;  ///< learning takes no virtual time
    bool json = false, steps_json = false;
    std::string record;      ///< file; empty: none
    SelfishRequest selfish;  ///< of its own command

    // Two levels: `workers` and `schedule` are those of the threads of a rank.
    std::uint32_t ranks = 0;    ///< R; 0: one level only
    std::string rank_schedule;  ///< for all steps; empty: learnt
    std::string learner = "coordinated";
    std::string portfolio = "static ss mfsc gss tss fac2 awf-c af";
    double rank_chunk_us = 20;   ///< what a chunk costs a rank
    double team_barrier_us = 3;  ///< of the threads, at the end of each rank chunk
    double step_noise = 0;       ///< relative deviation of the time of a step, with slack of each rank's
    std::uint64_t runs = 1;      ///< with seeds one after the other

    // In their place, ranks that wait for each other after every loop.
    bool slack = false;
    double rank_spread = 0;    ///< costs of ranks lie between 1 - spread and 1 + spread
    bool published = false;    ///< SlackRule::published in place of trusted
    double collective_us = 0;  ///< what a collective call takes from the last arrival on
    std::uint64_t chunk = 0;   ///< of all techniques but static; 0: their own
    double fraction = -1;      ///< f_s of techniques with slack; < 0: they search it
};

/// Add the command `simulate` with its options. @param request  out: filled when the command line is parsed
void add_simulate(CLI::App& app, SimulateRequest& request);

/// Run an application in virtual time and print what came of it.
/// @return 0  @errors gimbal::Error: wrong use or settings, a file that cannot be written
int simulate_application(const SimulateRequest& request);

/// Print what was warned of meanwhile, before the result.
void print_warnings();

/// The application of --app, with costs drawn from options().seed. @errors gimbal::Error: wrong use
[[nodiscard]] std::unique_ptr<simulate::Application> named_application(const SimulateRequest& request);

/// What --dispatch-ns and --serial-ns say of drawing a chunk; what they do not name stays.
/// @param machine  in, out: of the threads, or of the application's workers
void set_drawing_costs(const SimulateRequest& request, simulate::Machine& machine);

/// Add the options of --ranks, and of --slack. @param request  out: filled when the command line is parsed
void add_pair_options(CLI::App& command, SimulateRequest& request);
void add_slack_options(CLI::App& command, SimulateRequest& request);

/// Run the first loop of an application on ranks of threads, in virtual time, and print what came of it.
/// @param application  its workers are the threads of a rank  @return 0  @errors gimbal::Error: wrong use
int simulate_pairs(const SimulateRequest& request, std::unique_ptr<simulate::Application> application);

/// Run an application on ranks that wait for each other after every loop, in virtual time, without and with the slack
/// that they may expect, and print what came of it.
/// @param process  what each rank runs  @return 0  @errors gimbal::Error: wrong use
int simulate_slack(const SimulateRequest& request, const simulate::Experiment& process);

}  // namespace gimbal::tool
