// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "gimbal/technique.hpp"

namespace gimbal::technique {

// Technique objects are there from before the first constructor until after the last destructor of the program, so that
// loops in static constructors, destructors and exit handlers of the host program are served like any other: they are
// constant-initialised, and nothing destroys them.

/// A technique whose chunks are all known before the loop starts: its description and the function that plans.
class PlannedTechnique final : public Technique {
public:
    using PlanFunction = Plan (*)(const LoopShape&);

    constexpr PlannedTechnique(const TechniqueInfo& info, PlanFunction function) noexcept
        : info_(info), plan_(function) {}

    [[nodiscard]] const TechniqueInfo& info() const noexcept override { return info_; }
    [[nodiscard]] Plan plan(const LoopShape& shape) const override { return plan_(shape); }

private:
    TechniqueInfo info_;
    PlanFunction plan_;
};
static_assert(std::is_trivially_destructible_v<PlannedTechnique>);

/// What most techniques say about the number after the comma.
inline constexpr std::string_view kMinimumChunk = "granule c [iterations]: chunks are multiples of it; default 1";
inline constexpr std::string_view kMeasuredChunk = "granule c [iterations]: draws are of c; default: measured";
inline constexpr std::string_view kFractionParameter =
    "static fraction [0 to 1], then after a colon the granule c [iterations]; e.g. 0.8:16";

}  // namespace gimbal::technique
