// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

namespace apps {

/// Do a program's work, and see that its output is written. An error is one line on standard error.
/// @return the exit code: 0, or 1 after an exception or if standard output cannot be written   @errors none
int run_program(const char* name, const std::function<void()>& work);

}  // namespace apps
