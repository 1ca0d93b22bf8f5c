// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal {

/// A team of this process runs loops with so many threads. Where that makes the node too small for its ranks, the
/// report says so. @threads any  @cost a load  @errors std::bad_alloc
void note_team(std::uint32_t threads);

}  // namespace gimbal
