// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiment/disturbance.hpp"
#include "simulate_pairs.hpp"
#include "simulate_selfish.hpp"

namespace CLI {
class App;
}

namespace gimbal::tool {

/// What `gimbal simulate` was asked for.
struct SimulateRequest {
    std::string application;       ///< name:key=value,key=value
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
    PairRequest pairs;       ///< two levels, if it has ranks
    SelfishRequest selfish;  ///< of its own command
};

/// Add the command `simulate` with its options. @param request  out: filled when the command line is parsed
void add_simulate(CLI::App& app, SimulateRequest& request);

/// Run an application in virtual time and print what came of it.
/// @return 0  @errors gimbal::Error: wrong use or settings, a file that cannot be written
int simulate_application(const SimulateRequest& request);

}  // namespace gimbal::tool
