// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gimbal::top {

// Text by the columns that it takes on a terminal. Letters are those of the process's locale (LC_CTYPE); a byte that is
// no part of one takes a column.

/// [columns]  @threads any, while nobody changes the locale
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// A name as shorten_name() has it, but whole if it fits. @param width  at least 4 [columns]
[[nodiscard]] std::string shortened_to(std::string_view name, std::size_t width);

/// What fits of the beginning of a text. @param width  [columns]
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t width);

/// The same, filled with blanks. @param left  whether the text stands there
[[nodiscard]] std::string filled_to(std::string_view text, std::size_t width, bool left = true);

}  // namespace gimbal::top
