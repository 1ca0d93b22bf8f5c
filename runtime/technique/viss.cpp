// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

constexpr std::uint64_t kMinShares = 32;  // X for teams smaller than this

/// Variable increase self-scheduling: batches of P equal chunks that grow, by half as much each time, towards twice the
/// first size.
///
/// c_0 = floor(N / (X P)), c_b = floor(c_0 * 2 (1 - 0.5^(b + 1))) = 2 c_0 - ceil(c_0 / 2^b). The paper leaves X to the
/// user; LB4OMP takes P. With few workers the last chunks, which are the largest, would then be a large part of the
/// loop (a quarter on two), so X is P, but at least 32: the last chunk is at most 2 / X of a worker's share.
/// @param shape  N, P and the minimum chunk, which is all there is if N < X P
/// @return batches of growing chunks
/// @errors std::bad_alloc  @threads any  @cost O(P^2)
/// @source Philip, Das 1997; test: tests/unit/technique/sequence_test.cpp
Plan plan_viss(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    const std::uint64_t first = shape.iterations / workers / std::max(workers, kMinShares);
    PlanBuilder plan(shape);
    std::uint64_t missing = first;  // to twice the first size: ceil(first / 2^b)
    while (!plan.done()) {
        plan.take_batch(first + (first - missing));
        missing = ceil_div(missing, 2);
    }
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kViss{
    {.name = "viss",
     .aliases = {},
     .family = "planned",
     .summary = "Variable increase: batches whose chunks grow towards twice the first.",
     .parameter = kMinimumChunk,
     .source = "Philip, Das 1997"},
    plan_viss};

}  // namespace gimbal::technique
