// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/golden.hpp"

#include <algorithm>
#include <cmath>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

// The golden ratio's fractional part, to the digits that Auto4OMP uses.
constexpr double kGoldenRatio = 0.618;

/// Self-scheduling with the expert chunk of Auto4OMP.
/// @param shape  N, P and the minimum chunk
/// @return equal chunks, shared, without a table
/// @errors none  @threads any  @cost O(1)
/// @source Mohammed, Korndoerfer, Eleliemy, Ciorba 2022 (Auto4OMP); test: tests/unit/technique/sequence_test.cpp
Plan plan_golden(const LoopShape& shape) {
    return constant_plan(shape, Claim::shared, golden_chunk(shape.iterations, shape.workers));
}

}  // namespace

std::uint64_t golden_chunk(std::uint64_t iterations, std::uint32_t workers) noexcept {
    const std::uint64_t p = std::max<std::uint32_t>(workers, 1);
    unsigned m = 0;
    if (iterations > p) {
        const double per_worker = static_cast<double>(iterations) / static_cast<double>(p);
        m = static_cast<unsigned>(kGoldenRatio * std::log2(per_worker));
    }
    const Wide parts = Wide{p} << (m + 1);  // m <= 39: at most 2^72
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(iterations / parts), 1);
}

constinit const PlannedTechnique kGolden{
    {.name = "golden",
     .aliases = {},
     .family = "planned",
     .summary = "Self-scheduling with Auto4OMP's expert chunk, from the golden ratio.",
     .parameter = kMinimumChunk,
     .source = "Mohammed, Korndoerfer, Eleliemy, Ciorba 2022"},
    plan_golden};

}  // namespace gimbal::technique
