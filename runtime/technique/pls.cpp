// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// Parallel loop self-scheduling: half of the loop goes out at once, as P equal chunks, the rest as GSS.
/// @param shape  N, P and the minimum chunk
/// @return P chunks of ceil(s N / P) with s = 1/2, then ceil(R / P)
/// @errors std::bad_alloc  @threads any  @cost O(P log(N / P))
/// @source Shih, Yang, Tseng 2007; test: tests/unit/technique/sequence_test.cpp
Plan plan_pls(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    PlanBuilder plan(shape);
    plan.take_batch(ceil_div(shape.iterations, 2 * workers));
    while (!plan.done()) plan.take(ceil_div(plan.remaining(), workers));
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kPls{
    {.name = "pls",
     .aliases = {},
     .family = "planned",
     .summary = "Parallel loop self-scheduling: half of the loop in P equal chunks, then gss.",
     .parameter = kMinimumChunk,
     .source = "Shih, Yang, Tseng 2007"},
    plan_pls};

}  // namespace gimbal::technique
