// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace gimbal {

/// A whole file as text.
/// @param limit  largest size [bytes]
/// @errors gimbal::Error(file) naming the path and the reason
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit);

}  // namespace gimbal
