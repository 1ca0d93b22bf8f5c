// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread_create() and C11's thrd_create(): threads are known from their first moment, and begin with the mask that
// their creator had before it was placed.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <threads.h>

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "attach/process.hpp"
#include "machine/affinity.hpp"

namespace gimbal::pin {

namespace {

using Routine = void* (*)(void*);
using C11Routine = int (*)(void*);

template <class Function>
struct Start {
    Function routine;
    void* argument;
    RecordPointer creator;  ///< nullptr: what the thread begins with is its own
    std::vector<int> mask;  ///< what the creator had before it was placed; empty: it was not placed
};

/// The caller of pthread_create() wants a mask of its own for the thread.
bool names_mask(const pthread_attr_t* attributes) noexcept {
    if (!attributes) return false;
    cpu_set_t set;
    if (pthread_attr_getaffinity_np(attributes, sizeof set, &set) != 0) return true;
    return CPU_COUNT(&set) != CPU_SETSIZE;  // glibc: all ones if none was named
}

/// @return what is left to be done, without anything to clean up: pthread_exit() and pthread_cancel() unwind through
/// the function that calls the routine, by the program's unwinder
template <class Function>
[[gnu::noinline]] std::pair<Function, void*> begin(void* started) noexcept {
    const std::unique_ptr<Start<Function>> start(static_cast<Start<Function>*>(started));
    if (start->creator) {
        // Its creator may have been placed between the two. A thread that nobody places has its own mask here, so what
        // it has later, and did not inherit, is the program's wish.
        const std::lock_guard lock(registry().mutex());
        const std::vector<int>& mask = start->mask.empty() ? start->creator->own_mask : start->mask;
        if (!mask.empty()) set_affinity(0, mask);
    }
    begin_self(reinterpret_cast<const void*>(start->routine));
    registry().arrived();
    return {start->routine, start->argument};
}

void* trampoline(void* start) {
    const auto [routine, argument] = begin<Routine>(start);
    return routine(argument);
}

int c11_trampoline(void* start) {
    const auto [routine, argument] = begin<C11Routine>(start);
    return routine(argument);
}

/// @return nullptr: no memory
template <class Function>
std::unique_ptr<Start<Function>> prepare(Function routine, void* argument, bool has_mask) noexcept {
    need_manager();
    std::unique_ptr<Start<Function>> start(new (std::nothrow) Start<Function>{routine, argument, nullptr, {}});
    try {
        if (start && !has_mask) start->creator = shared_self();
        if (start && start->creator) {
            const std::lock_guard lock(registry().mutex());
            start->mask = start->creator->own_mask;
        }
    } catch (const std::exception&) {
        return nullptr;
    }
    return start;
}

using C11Create = int (*)(thrd_t*, thrd_start_t, void*);

C11Create real_c11_create() noexcept {
    static const auto create = reinterpret_cast<C11Create>(dlsym(RTLD_NEXT, "thrd_create"));
    return create;
}

// The loader must not be asked later: it may be running a constructor that waits for the very thread that is made.
__attribute__((constructor)) void on_load() {
    (void)real_create();
    (void)real_c11_create();
}

}  // namespace

}  // namespace gimbal::pin

extern "C" {

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*routine)(void*), void* argument) {
    using namespace gimbal::pin;
    const CreateFunction create = real_create();
    if (!create) return EAGAIN;
    if (!is_on() || is_ours()) return create(thread, attributes, routine, argument);
    auto start = prepare(routine, argument, names_mask(attributes));
    if (!start) return EAGAIN;
    registry().expect();
    const int error = create(thread, attributes, trampoline, start.get());
    if (error == 0)
        (void)start.release();
    else
        registry().arrived();
    return error;
}

__attribute__((visibility("default"))) int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
    using namespace gimbal::pin;
    const C11Create create = real_c11_create();
    if (!create) return thrd_error;
    if (!is_on() || is_ours()) return create(thread, routine, argument);
    auto start = prepare(routine, argument, false);
    if (!start) return thrd_nomem;
    registry().expect();
    const int error = create(thread, c11_trampoline, start.get());
    if (error == thrd_success)
        (void)start.release();
    else
        registry().arrived();
    return error;
}

}  // extern "C"
