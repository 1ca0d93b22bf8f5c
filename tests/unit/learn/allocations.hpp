// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace gimbal::test {

/// Calls of operator new in the whole program so far; its tests run one after the other.
[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace gimbal::test
