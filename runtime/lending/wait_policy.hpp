// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Ranks on this node, this one included, as the launcher tells [count]; 0: it does not.
/// @threads any, while nobody changes the environment
int ranks_of_node() noexcept;

}  // namespace gimbal
