// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gimbal::simulate {

inline constexpr std::size_t kEvrardFrames = 23;
inline constexpr std::size_t kEvrardBins = 256;

/// Where in the run each frame was recorded: steps before it over all steps.
extern const std::array<double, kEvrardFrames> kEvrardAt;

/// Mean interactions of a particle's gravity walk (2 per cell used, 1 per particle visited) along the loop, whose order
/// is that of the distance from the centre.
extern const std::uint16_t kEvrardCosts[kEvrardFrames][kEvrardBins];

}  // namespace gimbal::simulate
