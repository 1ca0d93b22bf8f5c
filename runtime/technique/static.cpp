// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// P consecutive blocks, the first N mod P of them one longer; as the balanced static of libomp.
Plan plan_blocks(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    const std::uint64_t size = shape.iterations / workers;
    const std::uint64_t longer = shape.iterations % workers;
    Plan plan;
    plan.iterations = shape.iterations;
    plan.workers = static_cast<std::uint32_t>(workers);
    plan.claim = Claim::owned;
    plan.steps = std::min(workers, shape.iterations);  // no empty blocks when N < P
    plan.starts.reserve(plan.steps + 1);
    for (std::uint64_t block = 0; block <= plan.steps; ++block) {
        plan.starts.push_back(block * size + std::min(block, longer));
    }
    return plan;
}

/// Static scheduling: every worker knows its iterations beforehand, no atomic at all.
/// @param shape  chunk == 0: one block per worker; otherwise chunks of that size, dealt out in turn (cyclic)
/// @return steps owned by worker k mod P; a table of P blocks, or no table if cyclic
/// @errors std::bad_alloc  @threads any  @cost O(P) for blocks, O(1) if cyclic
/// @source OpenMP specification, schedule(static[, chunk]); test: tests/unit/technique/sequence_test.cpp
Plan plan_static(const LoopShape& shape) {
    return shape.chunk == 0 ? plan_blocks(shape) : constant_plan(shape, Claim::owned, shape.chunk);
}

}  // namespace

constinit const PlannedTechnique kStatic{{.name = "static",
                                          .aliases = {},
                                          .family = "planned",
                                          .summary = "One block per worker; with a chunk, chunks of that size in turn.",
                                          .parameter = "chunk c [iterations]; without it, one block per worker",
                                          .source = "OpenMP",
                                          .chunk = ChunkMeaning::exact},
                                         plan_static};

}  // namespace gimbal::technique
