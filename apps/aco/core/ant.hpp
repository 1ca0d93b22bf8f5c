// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/random.hpp"
#include "library.hpp"
#include "pheromone.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aco {

/// Random numbers of one ant in one iteration: what an ant does depends on who it is, not on the thread that carries it
/// or on who went before.
inline apps::Random stream_of(std::uint64_t seed, std::int64_t ant, std::int64_t iteration) {
    return apps::Random(apps::mix(apps::mix(seed) + static_cast<std::uint64_t>(ant)) +
                        static_cast<std::uint64_t>(iteration));
}

constexpr double kGreedy = 0.9;  ///< q0: how often an ant takes the job that looks best, without throwing dice

/// What an ant needs room for. One per thread.
struct Workspace {
    /// @param jobs  n of the instances that it will serve
    explicit Workspace(std::size_t jobs) : open(jobs), scores(jobs) {}

    std::vector<Job> open;       ///< [n] jobs not yet in the schedule come first
    std::vector<double> scores;  ///< [n] of the open jobs
};

/// What an ant makes of weights. Colonies hold both kinds: on the wt40 instances, either alone finds less.
enum class Taste {
    weight,          ///< a job scores pheromone x weight / urgency^2
    weight_squared,  ///< pheromone x (weight / urgency)^2: heavy jobs come early
};

/// One ant makes one schedule. At each position it scores every open job, whose urgency is the larger of its processing
/// time and the time left to its due date; it takes the best with probability q0, else one at random with probabilities
/// in proportion to the scores.
/// @param order  [n] out: the schedule   @return its total weighted tardiness
/// @errors none   @threads pure, but for the workspace   @cost O(n^2)
/// @source den Besten, Stuetzle, Dorigo 2000
std::int64_t make_schedule(const Instance& instance, const Pheromone& pheromone, Taste taste, apps::Random random,
                           Workspace& workspace, std::span<Job> order);

}  // namespace aco
