// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace gimbal {

/// One figure of the report: how it is computed and what it means.
struct Metric {
    std::string_view name, unit, formula, meaning;
};

/// All figures of report and JSON; what `gimbal info metrics` prints.
/// @threads any  @cost O(1)
[[nodiscard]] std::span<const Metric> metrics() noexcept;

}  // namespace gimbal
