// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gimbal {

/// How wide text may be that goes to a file descriptor.
/// @param columns  what COLUMNS says, if it says something; 0: nothing
/// @return at least 40, otherwise the width of the terminal that this is; 0: it is none, and any width will do
/// @errors none  @threads any
[[nodiscard]] std::size_t output_width(std::size_t columns, int descriptor) noexcept;

/// Text whose lines are at most that long: longer ones go on in the next line, indented, from a blank on. A word that
/// is longer than a line stays whole.
/// @param width  0: any
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

}  // namespace gimbal
