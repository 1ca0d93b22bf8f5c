// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

constexpr std::string_view kAliases[] = {"dynamic"};

/// Self-scheduling: every request gets c iterations.
/// @param shape  N and the chunk c (default 1) [iterations]
/// @return equal chunks, shared, without a table
/// @errors none  @threads any  @cost O(1)
/// @source Tang, Yew 1986; test: tests/unit/technique/sequence_test.cpp
Plan plan_ss(const LoopShape& shape) {
    return constant_plan(shape, Claim::shared, min_chunk_of(shape));
}

}  // namespace

constinit const PlannedTechnique kSs{{.name = "ss",
                                      .aliases = kAliases,
                                      .family = "planned",
                                      .summary = "Self-scheduling: equal chunks, first come, first served.",
                                      .parameter = "chunk c [iterations], default 1",
                                      .source = "Tang, Yew 1986",
                                      .chunk = ChunkMeaning::exact},
                                     plan_ss};

}  // namespace gimbal::technique
