// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <new>
#include <string>
#include <vector>

namespace gimbal {

/// Remember that something is missing or was ignored; each text is kept once and stands in the report. After start-up
/// nothing of Gimbal's ends the host program, so this is all that happens.
/// @return whether it is new, and there is memory for it  @threads any  @errors none
bool warn_once(std::string text) noexcept;
/// The same for callers that may not throw. @param text  makes it, which may take memory
template <std::invocable Text>
bool warn_once(Text text) noexcept {
    try {
        return warn_once(std::string(text()));
    } catch (const std::bad_alloc&) {
        return false;
    }
}

/// Remember a sentence about something, which stands in the report instead of an earlier one about the same.
/// @param about  what the sentence is about, without a colon
/// @return false: it is not kept, since there is no memory  @threads any  @errors none
bool note(std::string about, const std::string& text) noexcept;

/// How such sentences begin among the warnings.
inline constexpr const char* kNote = "NOTE ";

/// New lock after fork(). @threads the only one of a new child
void restart_warnings_in_child() noexcept;

/// Everything warned about so far, in order. @threads any
[[nodiscard]] std::vector<std::string> warnings();

}  // namespace gimbal
