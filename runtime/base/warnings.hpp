// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gimbal {

/// Remember that something is missing or was ignored; each text is kept once and stands in the report. After start-up
/// nothing of Gimbal's ends the host program, so this is all that happens.
/// @return whether it is new  @threads any  @errors none
bool warn_once(std::string text) noexcept;

/// Remember a sentence about something, which stands in the report instead of an earlier one about the same.
/// @param about  what the sentence is about, without a colon  @threads any  @errors none
void note(std::string about, const std::string& text) noexcept;

/// How such sentences begin among the warnings.
inline constexpr const char* kNote = "NOTE ";

/// New lock after fork(). @threads the only one of a new child
void restart_warnings_in_child() noexcept;

/// Everything warned about so far, in order. @threads any
[[nodiscard]] std::vector<std::string> warnings();

}  // namespace gimbal
