// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"
#include "technique/tss.hpp"

namespace gimbal::technique {
namespace {

/// Trapezoid factoring: batches of P equal chunks, each the mean of the next P chunks of TSS, rounded up.
/// @param shape  N, P and the minimum chunk
/// @return batches along TSS's line
/// @errors std::bad_alloc  @threads any  @cost O(steps), about 4P
/// @source Chronopoulos, Andonie, Benche, Grosu 2001; test: tests/unit/technique/sequence_test.cpp
Plan plan_tfss(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    const Trapezoid line = trapezoid_of(shape);
    PlanBuilder plan(shape);
    for (std::uint64_t k = 0; !plan.done();) {
        Wide sum = 0;
        for (const std::uint64_t end = k + workers; k < end; ++k) sum += line.at(k);
        plan.take_batch(static_cast<std::uint64_t>((sum + workers - 1) / workers));
    }
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kTfss{
    {.name = "tfss",
     .aliases = {},
     .family = "planned",
     .summary = "Trapezoid factoring: batches of P equal chunks along the line of tss.",
     .parameter = kMinimumChunk,
     .source = "Chronopoulos, Andonie, Benche, Grosu 2001"},
    plan_tfss};

}  // namespace gimbal::technique
