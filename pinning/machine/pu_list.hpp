// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gimbal::pin {

/// Processors as people and the kernel write them: "0-7,16,20-22". Sorted, each once; "" is the empty list.
/// @param text  blanks around numbers and a newline at the end are let through
/// @param what  names the list in the error, as in "GIMBAL_PIN_RESERVE"
/// @errors gimbal::Error(invalid_option): not a number, "7-3", a number above 65535
/// @threads any  @cost O(numbers)  @source test: tests/unit/pinning/machine/pu_list_test.cpp
[[nodiscard]] std::vector<int> parse_pu_list(std::string_view text, std::string_view what);

/// The inverse of parse_pu_list(), in the shortest form.
/// @param pus  ascending
[[nodiscard]] std::string pu_list_text(std::span<const int> pus);

/// Nodes of the user's: "0-7;8-15". Whether the machine has these processors is for with_pseudo_nodes() to say.
/// @return one list per node; empty if the text is
/// @errors gimbal::Error(invalid_option): as parse_pu_list(), or an empty node, or a processor in two nodes
[[nodiscard]] std::vector<std::vector<int>> parse_pseudo_nodes(std::string_view text, std::string_view what);

/// What both have, and what only the first has. All ascending.
[[nodiscard]] std::vector<int> both(std::span<const int> a, std::span<const int> b);
[[nodiscard]] std::vector<int> without(std::span<const int> a, std::span<const int> b);

}  // namespace gimbal::pin
