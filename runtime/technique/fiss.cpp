// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

// Keeps the products below within 128 bits, and is as many batches as a table may have steps.
constexpr std::uint64_t kMaxStages = kTableSteps;

/// Fixed increase self-scheduling: S batches of P equal chunks, each batch's chunks larger than the one before by the
/// same amount.
///
/// c_b = N / ((2 + S) P) + b * 2N (1 - S / (2 + S)) / (P S (S - 1)), with S = max(2, P - 1). The sizes of one worker
/// sum to N / P; they are rounded cumulatively, so that S batches are enough and no size is off by more than one.
/// @param shape  N, P and the minimum chunk
/// @return batches of growing chunks
/// @errors std::bad_alloc  @threads any  @cost O(P S)
/// @source Philip, Das 1997; test: tests/unit/technique/sequence_test.cpp
Plan plan_fiss(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    const std::uint64_t stages = std::clamp<std::uint64_t>(workers - 1, 2, kMaxStages);
    const Wide pairs = Wide{stages} * (stages - 1);
    PlanBuilder plan(shape);
    std::uint64_t given = 0;  // to one worker, in the batches so far
    for (std::uint64_t batch = 1; !plan.done(); ++batch) {
        // Sum of c_0 to c_{batch - 1}, over the common denominator (2 + S) P S (S - 1).
        const Wide numerator = batch * pairs + 2 * Wide{batch} * (batch - 1);
        const bool last = batch >= stages;
        const std::uint64_t upto =
            last ? std::max(ceil_div(shape.iterations, workers), given)
                 : static_cast<std::uint64_t>(shape.iterations * numerator / ((2 + stages) * pairs * workers));
        plan.take_batch(upto - given);
        given = upto;
    }
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kFiss{{.name = "fiss",
                                        .aliases = {},
                                        .family = "planned",
                                        .summary = "Fixed increase: batches whose chunks grow by the same amount.",
                                        .parameter = kMinimumChunk,
                                        .source = "Philip, Das 1997"},
                                       plan_fiss};

}  // namespace gimbal::technique
