// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread_create(): threads are known from their first moment, and begin with the mask that their creator had before
// it was placed.
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "act/affinity.hpp"
#include "attach/process.hpp"

namespace gimbal::pin {

namespace {

struct Start {
    void* (*routine)(void*);
    void* argument;
    std::vector<int> mask;  ///< what the creator had before it was placed; empty: it is as it was
};

/// The caller of pthread_create() wants a mask of its own for the thread.
bool names_mask(const pthread_attr_t* attributes) noexcept {
    if (!attributes) return false;
    cpu_set_t set;
    if (pthread_attr_getaffinity_np(attributes, sizeof set, &set) != 0) return true;
    return CPU_COUNT(&set) != CPU_SETSIZE;  // glibc: all ones if none was named
}

/// What is left to be done, without anything to clean up: pthread_exit() and pthread_cancel() unwind through whoever
/// called the routine, by the program's unwinder.
struct Rest {
    void* (*routine)(void*);
    void* argument;
};

[[gnu::noinline]] Rest begin(void* argument) noexcept {
    const std::unique_ptr<Start> start(static_cast<Start*>(argument));
    if (!start->mask.empty()) set_affinity(0, start->mask);
    begin_self();
    return {start->routine, start->argument};
}

void* trampoline(void* argument) {
    const Rest rest = begin(argument);
    return rest.routine(rest.argument);
}

}  // namespace

}  // namespace gimbal::pin

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*routine)(void*), void* argument) {
    using namespace gimbal::pin;
    const CreateFunction create = real_create();
    if (!create) return EAGAIN;
    if (!is_on() || is_ours()) return create(thread, attributes, routine, argument);
    need_manager();
    std::unique_ptr<Start> start(new (std::nothrow) Start{routine, argument, {}});
    if (!start) return EAGAIN;
    try {
        if (ThreadRecord* const creator = self(); creator && !names_mask(attributes)) {
            const std::lock_guard lock(registry().mutex());
            start->mask = creator->own_mask;
        }
    } catch (const std::exception&) {
        return EAGAIN;
    }
    const int error = create(thread, attributes, trampoline, start.get());
    if (error == 0) (void)start.release();
    return error;
}
