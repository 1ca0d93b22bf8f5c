// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Around fork(): nobody may be in the middle of making a function-local static object of the library, which the child
/// would wait for in vain. Waits for half a second at most. @threads the one that forks
void hold_statics() noexcept;
void release_statics() noexcept;

/// @threads the only one of a new child
void restart_statics_in_child() noexcept;

}  // namespace gimbal
