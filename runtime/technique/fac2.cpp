// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/fac2.hpp"

#include <algorithm>
#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

std::uint64_t fac2_chunk(const LoopShape& shape, std::uint64_t remaining) noexcept {
    const std::uint64_t half = ceil_div(remaining, 2 * workers_of(shape));
    return std::min(std::max(half, min_chunk_of(shape)), remaining);
}

/// Factoring with a fixed ratio: half of what remains goes out as one batch of P equal chunks.
/// @param shape  N, P and the minimum chunk
/// @return batches of ceil(R / 2P)
/// @errors std::bad_alloc  @threads any  @cost O(P log(N / P))
/// @source Hummel, Schonberg, Flynn 1992; test: tests/unit/technique/sequence_test.cpp
Plan plan_fac2(const LoopShape& shape) {
    PlanBuilder plan(shape);
    while (!plan.done()) plan.take_batch(fac2_chunk(shape, plan.remaining()));
    return std::move(plan).finish();
}

namespace {

// LB4OMP's variants differ in how they take chunks, and in the rounding of later batches; the idea is one.
constexpr std::string_view kAliases[] = {"fac2a", "fac2b", "mfac2"};

}  // namespace

constinit const PlannedTechnique kFac2{{.name = "fac2",
                                        .aliases = kAliases,
                                        .family = "planned",
                                        .summary = "Factoring: half of what remains goes out as P equal chunks.",
                                        .parameter = kMinimumChunk,
                                        .source = "Hummel, Schonberg, Flynn 1992"},
                                       plan_fac2};

}  // namespace gimbal::technique
