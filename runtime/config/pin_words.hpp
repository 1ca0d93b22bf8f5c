// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gimbal/options.hpp"

namespace gimbal {

struct OptionSpec;

/// Reads GIMBAL_PIN_SETTINGS: the seed's words and ours, `NAME=value` with `;` or a line feed between them. Names in
/// any case; a list is `{"A" ,"B"}` or `A,B`.
/// @return defaults where nothing is said; mode and sample_s are other options'
/// @errors gimbal::Error(unknown_option or invalid_option): what() begins with the name, hint() says what is allowed
/// @threads any  @cost small
/// @source seed 001, sections 4.4.1 and 4.4.2; test: tests/unit/config/pin_words_test.cpp
[[nodiscard]] pin::Settings read_pin_words(std::string_view text);

/// What can be named there: numbers and switches, then lists.
[[nodiscard]] std::span<const OptionSpec> pin_numbers() noexcept;
[[nodiscard]] std::span<const OptionSpec> pin_lists() noexcept;

/// All names, blanks between them.
[[nodiscard]] std::string pin_words();

}  // namespace gimbal
