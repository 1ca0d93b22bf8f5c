// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include "manager/registry.hpp"

namespace gimbal::pin {

using CreateFunction = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

/// pthread_create() of the C library.
[[nodiscard]] CreateFunction real_create() noexcept;

/// Whether placement goes on in this process: GIMBAL_PIN asks for it, and this is not a child, however it was made.
/// @cost a system call
[[nodiscard]] bool is_on() noexcept;
/// The calling process is a child with a copy of its parent's memory: placement is off in it.
void leave_parent() noexcept;

/// Whether the calling thread is the manager. Threads that it starts are nobody's to place.
[[nodiscard]] bool is_ours() noexcept;

/// The calling thread's record; nullptr: nothing is known of it.
[[nodiscard]] ThreadRecord* self() noexcept;
/// The same, to keep.
[[nodiscard]] RecordPointer shared_self() noexcept;
/// The calling thread begins: known from now on until it ends. Does nothing if it is known, or placement is off.
/// @param routine  where it begins in the program  @return nullptr: off, or no memory
ThreadRecord* begin_self(const void* routine = nullptr) noexcept;

/// The manager, started at the first call. Threads that it starts itself are not known.
void need_manager() noexcept;

[[nodiscard]] Registry& registry() noexcept;

/// A mask of the calling thread, as the kernel has it. On the stack: a child of vfork() may not use the heap.
class OwnWords {
public:
    /// @return false: it could not be read, and none is held
    bool read() noexcept;
    /// Does nothing if none is held.
    void apply() const noexcept;
    /// @return false also where none is held
    [[nodiscard]] bool is_same(const OwnWords& other) const noexcept;

private:
    static constexpr int kMaxWords = 256;  // 16384 processors; kernels have 8192 at most
    unsigned long words_[kMaxWords] = {};
    long bytes_ = 0;  // as many as the kernel has; 0: none is held
};

/// While it lives, the calling thread has the mask that it had before it was placed, or before it got the cores of an
/// elastic rank (gimbal/rank_cores.h), for children that inherit it, and the manager leaves it alone. Afterwards it has
/// what it was given, or is given it in the next period, unless somebody else has set its mask meanwhile. In a child
/// that was made otherwise than by fork() it is for good, and notes nothing: memory may be the parent's. There the lock
/// may be held for ever; then it is the mask that the process began with. Async-signal-safe enough for such a child: no
/// wait is longer than a second, none in a child than 100 ms.
class OwnMask {
public:
    OwnMask() noexcept;
    ~OwnMask();
    OwnMask(const OwnMask&) = delete;
    OwnMask& operator=(const OwnMask&) = delete;

private:
    pid_t tid_ = 0;         ///< 0: nothing was changed
    bool is_rank_ = false;  ///< it was an elastic rank's thread, and not placed
    OwnWords set_;          ///< the mask while it lives
};

}  // namespace gimbal::pin
