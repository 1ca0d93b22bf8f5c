// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/mix.hpp"
#include "library.hpp"
#include "pheromone.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aco {

/// Random numbers by SplitMix64, one stream for every ant of every iteration: what an ant does depends on who it is,
/// not on the thread that carries it or on who went before.
class Random {
public:
    Random(std::uint64_t seed, std::int64_t ant, std::int64_t iteration)
        : state_(apps::mix(apps::mix(apps::mix(seed) + static_cast<std::uint64_t>(ant)) +
                           static_cast<std::uint64_t>(iteration))) {}

    /// In [0, 1), on 53 bits.
    double uniform() {
        state_ += 0x9e3779b97f4a7c15U;
        return static_cast<double>(apps::mix(state_) >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

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
std::int64_t make_schedule(const Instance& instance, const Pheromone& pheromone, Taste taste, Random random,
                           Workspace& workspace, std::span<Job> order);

}  // namespace aco
