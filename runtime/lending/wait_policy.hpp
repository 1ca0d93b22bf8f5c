// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal {

/// A team of this process runs loops with so many threads. Where that makes the node too small for its ranks, the
/// report says so. @threads any  @cost a load  @errors std::bad_alloc
void note_team(std::uint32_t threads);

/// Whether this process could run on all processors that its control group grants when it began, and so is not bound to
/// a part of them; false until libomp has asked, or the first team was noted. @threads any  @cost a load
[[nodiscard]] bool is_unbound() noexcept;

}  // namespace gimbal
