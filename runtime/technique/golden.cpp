// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

// The golden ratio's fractional part, to the digits that Auto4OMP uses.
constexpr double kGoldenRatio = 0.618;

/// Self-scheduling with the expert chunk of Auto4OMP: N / (2^(m + 1) P), m = floor(0.618 log2(N / P)).
/// @param shape  N, P and the minimum chunk
/// @return equal chunks, shared, without a table
/// @errors none  @threads any  @cost O(1)
/// @source Mohammed, Korndoerfer, Eleliemy, Ciorba 2022 (Auto4OMP); test: tests/unit/technique/sequence_test.cpp
Plan plan_golden(const LoopShape& shape) {
    const std::uint64_t workers = workers_of(shape);
    unsigned m = 0;
    if (shape.iterations > workers) {
        const double per_worker = static_cast<double>(shape.iterations) / static_cast<double>(workers);
        m = static_cast<unsigned>(kGoldenRatio * std::log2(per_worker));
    }
    const Wide parts = (Wide{workers} << (m + 1));  // m <= 39: at most 2^72
    return constant_plan(shape, Claim::shared, static_cast<std::uint64_t>(shape.iterations / parts));
}

}  // namespace

constinit const Immortal kGolden{{.name = "golden",
                                  .aliases = {},
                                  .family = "planned",
                                  .summary = "Self-scheduling with Auto4OMP's expert chunk, from the golden ratio.",
                                  .parameter = kMinimumChunk,
                                  .source = "Mohammed, Korndoerfer, Eleliemy, Ciorba 2022"},
                                 plan_golden};

}  // namespace gimbal::technique
