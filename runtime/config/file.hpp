// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "config/environment.hpp"

namespace gimbal {

/// Read the settings of a TOML file, as text: booleans become on and off, arrays of numbers a list with
/// commas, arrays of words and the table [loops] rules with semicolons.
/// @param path  file of at most 1 MiB
/// @return one Setting per key, in the file's order of lines, origin "file <path>"
/// @errors gimbal::Error(file): cannot be read, or is not TOML (with the line); gimbal::Error(unknown_option): a
///         table, or a value of a type that no option has
/// @threads any  @cost O(size)
[[nodiscard]] std::vector<Setting> read_settings_file(const std::string& path);

}  // namespace gimbal
