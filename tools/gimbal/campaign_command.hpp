// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gimbal::tool {

/// Hand `gimbal campaign` over to its Python program (tools/campaign), with the first Python of $GIMBAL_PYTHON,
/// python3 and /usr/bin/python3 that has all modules of the analysis; else the first that can at least run campaigns.
/// Replaces this process.
/// @param words  what stood behind `campaign`
/// @return never, except for the status 126 if the Python found cannot be started
/// @errors gimbal::Error(unsupported) if the program or a Python for it is not there   @threads none may run beside it
[[nodiscard]] int campaign(const std::vector<std::string>& words);

}  // namespace gimbal::tool
