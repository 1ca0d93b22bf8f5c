// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "experiment/selfish_learning.hpp"
#include "experiment/selfish_world.hpp"

namespace CLI {
class App;
}

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

}  // namespace gimbal::tool
