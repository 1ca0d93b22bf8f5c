// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "levels/pair_learner.hpp"
#include "measure/cost_profile.hpp"
#include "measure/fine_costs.hpp"
#include "select/portfolio.hpp"
#include "select/prediction.hpp"
#include "simulate/nested_loop.hpp"

namespace gimbal::levels {

/// What a prediction of pairs goes by.
struct PairQuestion {
    const CostProfile* profile = nullptr;  ///< of the whole loop; known
    std::uint64_t iterations = 0;          ///< N [iterations], >= 1
    const FineCosts* fine = nullptr;       ///< of single iterations, where that is known
    std::uint64_t seed = 0;                ///< of how they stray
    simulate::NestedMachine machine;       ///< ranks, threads, and what drawing costs, as measured
    Portfolio ranks, threads;              ///< what each level can run
    Pair incumbent;                        ///< its time is finite in any case
};

/// The time of every pair, by nesting the event simulation: ranks that draw chunks of the measured profile, and threads
/// that share each of them out. A pair is given up when it has taken 1.3 times the least of those before it, so those
/// that nobody would run cost little; draws of equal chunks are bundled. Where single iterations stray from the
/// profile, costs are drawn that stray as far (lognormal).
/// @return times of the pairs; infinite: more than 1.3 times the least. What it took is not measured
/// @errors std::bad_alloc  @threads any, one question per thread  @cost O(draws of all pairs), about 50 ns each, and N
/// for the spread
[[nodiscard]] Prediction predict_pairs(const PairQuestion& question);

}  // namespace gimbal::levels
