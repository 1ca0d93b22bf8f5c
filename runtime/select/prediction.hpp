// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "measure/cost_profile.hpp"
#include "select/portfolio.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// Everything that a prediction needs, copied, so that it can be made while the loop goes on.
struct Question {
    /// @param context  whose profile is known
    /// @errors std::bad_alloc  @cost a copy of the profile, some microseconds
    Question(const LoopContext& context, const Portfolio& portfolio, std::uint64_t seed);

    LoopContext context;  ///< its profile and weights are the copies below; made by context_of()
    CostProfile profile;
    std::vector<double> weights;
    Portfolio choices;
    std::uint64_t seed;
};

/// What a question is answered with: a prediction for each of the choices, or of the pairs of two levels.
struct Prediction {
    std::vector<double> times;  ///< [choices] loop time [ticks]; infinity for one that was not simulated
    double cost_s = 0;          ///< what making it took, by the number of chunks: the same on every machine [s]
    double spent_s = 0;         ///< what it really took of the processor [s]; 0: that was not measured
};

/// What making a prediction is expected to cost, before anything is known [s].
[[nodiscard]] double expected_cost_s(std::size_t choices, std::uint32_t workers) noexcept;

/// Loop time of every choice by event simulation on the measured cost profile, dispatch cost and speeds of the workers;
/// the mean of a few runs with the noise that a machine has. In teams of more than 256, techniques whose chunks are
/// sized by the times of all workers, or drawn one by one from queues, are simulated with 256 that stand for all.
/// @return complete unless the process is ending
/// @errors std::bad_alloc  @threads any, one question per thread  @cost O(choices (P + shared chunks) log P), 20-100 ns
/// each
[[nodiscard]] Prediction predict(const Question& question);

}  // namespace gimbal
