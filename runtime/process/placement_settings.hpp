// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "gimbal/options.hpp"

namespace gimbal {

/// What libgimbal_pin.so has said for the report of this process.
struct PlacementReport {
    std::string json;  ///< an object; empty: nothing was said
    std::string text;  ///< lines, each with a line feed
};

/// GIMBAL_PIN_SETTINGS, and what other options say of the same.
[[nodiscard]] pin::Settings learning_settings(const PinSettings& asked);

/// @threads those of the end of the process: what is said is said before
[[nodiscard]] const PlacementReport& placement_report() noexcept;

/// A child after fork() has placed nobody yet.
void restart_placement_in_child() noexcept;

}  // namespace gimbal
