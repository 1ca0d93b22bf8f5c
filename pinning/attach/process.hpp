// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include "manager/registry.hpp"

namespace gimbal::pin {

using CreateFunction = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

/// pthread_create() of the C library.
[[nodiscard]] CreateFunction real_create() noexcept;

/// Whether placement goes on in this process: GIMBAL_PIN asks for it, and this is not a child after fork.
[[nodiscard]] bool is_on() noexcept;

/// Whether the calling thread is the manager. Threads that it starts are nobody's to place.
[[nodiscard]] bool is_ours() noexcept;

/// The calling thread's record; nullptr: nothing is known of it.
[[nodiscard]] ThreadRecord* self() noexcept;
/// The calling thread begins: known from now on until it ends. Does nothing if it is known, or placement is off.
/// @return nullptr: off, or no memory
ThreadRecord* begin_self() noexcept;

/// The manager, started at the first call. Threads that it starts itself are not known.
void need_manager() noexcept;

[[nodiscard]] Registry& registry() noexcept;

/// While it lives, the calling thread has the mask that it had before it was placed: for whoever inherits it.
/// Async-signal-safe enough for a child of vfork(): a lock that cannot be had within 100 ms means no change.
class OwnMask {
public:
    OwnMask() noexcept;
    ~OwnMask();
    OwnMask(const OwnMask&) = delete;
    OwnMask& operator=(const OwnMask&) = delete;

private:
    static constexpr int kWords = 16;
    unsigned long before_[kWords] = {};
    int bytes_ = 0;  ///< 0: nothing to give back
};

}  // namespace gimbal::pin
