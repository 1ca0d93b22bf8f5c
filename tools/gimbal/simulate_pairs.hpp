// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace gimbal::simulate {
class Application;
}

namespace gimbal::tool {

/// What `gimbal simulate --ranks` was asked for on top.
struct PairRequest {
    std::uint32_t ranks = 0;      ///< R; 0: one level only
    std::string rank_schedule;    ///< of the ranks, for all steps; empty: learnt
    std::string thread_schedule;  ///< of the threads; empty: learnt
    std::string learner = "coordinated";
    std::string selector = "exhaustive";  ///< of each level, for the learner `independent`
    std::string portfolio = "static ss mfsc gss tss fac2 awf-c af";
    double rank_chunk_us = 20;   ///< what a chunk costs a rank
    double team_barrier_us = 3;  ///< of the threads, at the end of each rank chunk
    double step_noise = 0;       ///< relative deviation of the time of a step
    std::uint64_t runs = 1;      ///< with seeds one after the other
    bool json = false;
};

/// Add the options. @param request  out: filled when the command line is parsed
void add_pair_options(CLI::App& command, PairRequest& request);

/// Run the first loop of an application on ranks of threads, in virtual time, and print what came of it.
/// @param application  its workers are the threads of a rank  @param seed  of the first run
/// @return 0  @errors gimbal::Error: wrong use
int simulate_pairs(const PairRequest& request, simulate::Application& application, std::uint64_t seed);

}  // namespace gimbal::tool
