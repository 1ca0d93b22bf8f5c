// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <numbers>

#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// Fixed-size chunking: the one chunk size that balances dispatch cost against the expected imbalance at the end,
/// (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3), to the nearest integer.
///
/// Never more than ceil(N / P), the size for sigma = 0 and for one worker, to which the formula grows as sigma falls: a
/// larger chunk would leave workers without any.
/// @param shape  N, P, minimum chunk, and statistics: sigma and h in the same unit
/// @return equal chunks, shared, without a table; fac2's plan while the statistics are unknown
/// @errors std::bad_alloc  @threads any  @cost O(1)
/// @source Kruskal, Weiss 1985; test: tests/unit/technique/sequence_test.cpp
Plan plan_fsc(const LoopShape& shape) {
    const IterationStatistics& statistics = shape.statistics;
    if (!usable(statistics)) return plan_fac2(shape);
    const std::uint64_t even_share = ceil_div(shape.iterations, workers_of(shape));
    std::uint64_t chunk = even_share;
    if (workers_of(shape) > 1 && statistics.sd > 0) {
        const double workers = static_cast<double>(workers_of(shape));
        const double iterations = static_cast<double>(shape.iterations);
        // The quotient of the two times first: neither it nor the product can then be inf / inf.
        const double cost = statistics.overhead / statistics.sd;
        const double base = std::numbers::sqrt2 * iterations * cost / (workers * std::sqrt(std::log(workers)));
        chunk = std::min(even_share, nearest_of(std::cbrt(base) * std::cbrt(base)));
    }
    return constant_plan(shape, Claim::shared, chunk);
}

}  // namespace

constinit const PlannedTechnique kFsc{
    {.name = "fsc",
     .aliases = {},
     .family = "planned",
     .summary = "Fixed-size chunking: the chunk that trades dispatch cost against imbalance.",
     .parameter = kMinimumChunk,
     .source = "Kruskal, Weiss 1985",
     .needs_statistics = true},
    plan_fsc};

}  // namespace gimbal::technique
