// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <numbers>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// Modified fixed-size chunking: equal chunks, about as many as FAC2 would make, and no statistics needed:
/// floor(0.55 + T ln 2 / ln T) with T = ceil(N / P), or 1 if T <= 1.
/// @param shape  N, P and the minimum chunk
/// @return equal chunks, shared, without a table
/// @errors none  @threads any  @cost O(1)
/// @source Banicescu, Ciorba, Srivastava 2013; test: tests/unit/technique/sequence_test.cpp
Plan plan_mfsc(const LoopShape& shape) {
    const std::uint64_t share = ceil_div(shape.iterations, workers_of(shape));
    std::uint64_t chunk = 1;
    if (share > 1) {
        const double per_worker = static_cast<double>(share);
        chunk = static_cast<std::uint64_t>(0.55 + per_worker * std::numbers::ln2 / std::log(per_worker));
    }
    return constant_plan(shape, Claim::shared, chunk);
}

}  // namespace

constinit const PlannedTechnique kMfsc{
    {.name = "mfsc",
     .aliases = {},
     .family = "planned",
     .summary = "Modified fixed-size chunking: equal chunks, about as many as fac2 makes.",
     .parameter = kMinimumChunk,
     .source = "Banicescu, Ciorba, Srivastava 2013"},
    plan_mfsc};

}  // namespace gimbal::technique
