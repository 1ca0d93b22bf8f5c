// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace gimbal {

/// Without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;

/// ASCII lower case.
[[nodiscard]] std::string to_lower(std::string_view text);

}  // namespace gimbal
