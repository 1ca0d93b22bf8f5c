// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gimbal {

/// Without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;

/// The words between blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// ASCII lower case.
[[nodiscard]] std::string to_lower(std::string_view text);

}  // namespace gimbal
