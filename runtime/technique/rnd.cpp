// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "gimbal/random.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// Random: chunk sizes drawn uniformly from [c, max(c, ceil(N / 2P))].
/// @param shape  N, P, minimum chunk c, and the seed: the same seed gives the same plan everywhere
/// @return random chunks
/// @errors std::bad_alloc  @threads any  @cost O(steps), about 4P
/// @source Ciorba, Iwainsky, Buder 2018; SplitMix64: Steele, Lea, Flood 2014; test:
/// tests/unit/technique/sequence_test.cpp
Plan plan_rnd(const LoopShape& shape) {
    Random random(shape.seed);
    // No chunk can exceed N, and no draw has to.
    const std::uint64_t low = std::min(min_chunk_of(shape), std::max<std::uint64_t>(shape.iterations, 1));
    const std::uint64_t high = std::max(low, ceil_div(shape.iterations, 2 * workers_of(shape)));
    PlanBuilder plan(shape);
    while (!plan.done()) plan.take(low == high ? low : random.between(low, high));
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kRnd{{.name = "rnd",
                                       .aliases = {},
                                       .family = "planned",
                                       .summary = "Random chunk sizes between the minimum and N/2P, from the seed.",
                                       .parameter = kMinimumChunk,
                                       .source = "Ciorba, Iwainsky, Buder 2018"},
                                      plan_rnd};

}  // namespace gimbal::technique
