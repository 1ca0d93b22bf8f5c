// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// Guided self-scheduling: every request gets the P-th part of what remains, rounded up.
/// @param shape  N, P and the minimum chunk
/// @return chunks of ceil(R / P)
/// @errors std::bad_alloc  @threads any  @cost O(P log(N / P))
/// @source Polychronopoulos, Kuck 1987; test: tests/unit/technique/sequence_test.cpp
Plan plan_gss(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    PlanBuilder plan(shape);
    while (!plan.done()) plan.take(ceil_div(plan.remaining(), workers));
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kGss{{.name = "gss",
                                       .aliases = {},
                                       .family = "planned",
                                       .summary = "Guided self-scheduling: the P-th part of what remains.",
                                       .parameter = kMinimumChunk,
                                       .source = "Polychronopoulos, Kuck 1987"},
                                      plan_gss};

}  // namespace gimbal::technique
