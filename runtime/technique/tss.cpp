// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/tss.hpp"

#include <utility>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

Trapezoid trapezoid_of(const LoopShape& shape) noexcept {
    Trapezoid line;
    line.first = ceil_div(shape.iterations, 2 * workers_of(shape));
    line.last = min_chunk_of(shape);
    if (line.first <= line.last) return line;
    // F + L and 2N may need 65 bits. F > L >= 1 gives n >= 2, so that n - 1 can divide.
    const Wide sum = Wide{line.first} + line.last;
    const Wide chunks = (2 * Wide{shape.iterations} + sum - 1) / sum;
    line.delta = static_cast<std::uint64_t>((line.first - line.last) / (chunks - 1));
    return line;
}

namespace {

constexpr std::string_view kAliases[] = {"trapezoidal"};

/// Trapezoid self-scheduling: chunks shrink by the same amount each time, from F = ceil(N / 2P) to L = c.
/// @param shape  N, P and the minimum chunk, which is L
/// @return chunks of F - k delta
/// @errors std::bad_alloc  @threads any  @cost O(steps), about 4P
/// @source Tzen, Ni 1993; test: tests/unit/technique/sequence_test.cpp
Plan plan_tss(const LoopShape& shape) {
    const Trapezoid line = trapezoid_of(shape);
    PlanBuilder plan(shape);
    for (std::uint64_t k = 0; !plan.done(); ++k) plan.take(line.at(k));
    return std::move(plan).finish();
}

}  // namespace

constinit const PlannedTechnique kTss{{.name = "tss",
                                       .aliases = kAliases,
                                       .family = "planned",
                                       .summary = "Trapezoid self-scheduling: chunks shrink linearly from N/2P.",
                                       .parameter = "granule c [iterations]: chunks shrink to it; default 1",
                                       .source = "Tzen, Ni 1993"},
                                      plan_tss};

}  // namespace gimbal::technique
