// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gimbal {

/// Note the time, the working directory and where standard error leads, before the program changes either. @threads
/// one, at load
void note_start() noexcept;

/// When that was, since 1970-01-01 UTC [s]. A child of fork() answers as its parent.
[[nodiscard]] double started_at_s() noexcept;

/// A path as it was meant when the program started: relative ones begin at its first working directory.
[[nodiscard]] std::string from_start(const std::string& path);

/// Whether standard error is still what it was; a program may have closed it and opened a file of its own.
[[nodiscard]] bool stderr_is_the_same() noexcept;

}  // namespace gimbal
