// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// Guided as libomp computes it: R / 2P rounded down while at least 2P(c + 1) iterations remain, then chunks of c.
///
/// A short loop, (2c + 1)P >= N, gets chunks of c throughout, and a single worker takes everything at once, as there.
/// @param shape  N, P and the minimum chunk c
/// @return the same chunks as the iterative guided schedule of libomp 19
/// @errors std::bad_alloc  @threads any  @cost O(P log(N / P))
/// @source OpenMP, schedule(guided); the rule of LLVM's libomp; test: tests/unit/technique/sequence_test.cpp
Plan plan_guided(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    const Wide min_chunk = min_chunk_of(shape);
    if (workers == 1) return constant_plan(shape, Claim::shared, shape.iterations);
    if ((2 * min_chunk + 1) * workers >= shape.iterations) {
        return constant_plan(shape, Claim::shared, min_chunk_of(shape));
    }
    // libomp multiplies in double precision; to give the same chunks, so must we.
    const double part = 0.5 / static_cast<double>(workers);
    const Wide threshold = Wide{2} * workers * (min_chunk + 1);
    PlanBuilder plan(shape);
    while (plan.remaining() >= threshold) {
        plan.take(static_cast<std::uint64_t>(static_cast<double>(plan.remaining()) * part));
    }
    while (!plan.done()) plan.take(min_chunk_of(shape));
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kGuided{
    {.name = "guided",
     .aliases = {},
     .family = "planned",
     .summary = "Guided as libomp computes it: half of the P-th part of what remains.",
     .parameter = kMinimumChunk,
     .source = "OpenMP; LLVM libomp"},
    plan_guided};

}  // namespace gimbal::technique
