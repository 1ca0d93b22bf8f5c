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

/// Loop time of every choice by event simulation on the measured cost profile, dispatch cost and speeds of the workers;
/// the mean of a few runs with the noise that a machine has.
/// @return [choices] ticks; infinity for a choice that was not simulated: it would hand out too many chunks, or the
///         process is ending
/// @errors std::bad_alloc  @threads any, one question per thread  @cost O(sum of chunks log P), 20-100 ns per chunk
[[nodiscard]] std::vector<double> predicted_times(const Question& question);

/// Chunks of the choice for the loop at hand, at most: what simulating it costs.
inline constexpr std::uint64_t kMostSimulated = std::uint64_t{1} << 16;

}  // namespace gimbal
