// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

namespace detail {
void call_with_room(void (*call)(void* work), void* work);
}  // namespace detail

/// Do something that takes more of the stack than a stranger's thread may have: here, if this thread is known to have
/// room for half a megabyte, else on a stack made for it. A program may end in a thread of 16 kB, or in a coroutine.
/// @errors those of the work; without memory for a stack it is done here  @threads any, signal handlers too
/// @cost a system call, two mappings where there is no room
template <class Work>
void with_room(Work work) {
    detail::call_with_room([](void* one) { (*static_cast<Work*>(one))(); }, &work);
}

}  // namespace gimbal
