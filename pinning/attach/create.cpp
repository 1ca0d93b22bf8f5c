// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread_create() and C11's thrd_create(): threads are known from their first moment, and begin with the mask that
// their creator had before it was placed.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <cstdint>
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
    RecordPointer creator;       ///< nullptr: what the thread begins with is its own
    std::vector<int> mask;       ///< what the creator had before it was placed; empty: it was not placed
    bool mask_is_all = false;    ///< that is all that the control group grants
    std::vector<int> inherited;  ///< what the creator had when it made the thread
    std::vector<int> given;      ///< what it had been given by then: the same but while a core is lent to it
    std::uint64_t made = 0;      ///< threads so far (Registry::expect())
};

/// While it lives the manager does not change the calling thread's mask: a thread that is made has that which its maker
/// has seen, however late it begins.
class MaskStays {
public:
    MaskStays() noexcept : maker_(self()) {
        // A change that has begun already is over when prepare() has had the registry's lock.
        if (maker_) maker_->making.fetch_add(1);
    }
    ~MaskStays() {
        if (maker_) maker_->making.fetch_sub(1);
    }
    MaskStays(const MaskStays&) = delete;
    MaskStays& operator=(const MaskStays&) = delete;

private:
    ThreadRecord* maker_;
};

/// The caller of pthread_create() wants a mask of its own for the thread.
bool names_mask(const pthread_attr_t* attributes) noexcept {
    if (!attributes) return false;
    cpu_set_t set;
    if (pthread_attr_getaffinity_np(attributes, sizeof set, &set) != 0) return true;
    return CPU_COUNT(&set) != CPU_SETSIZE;  // glibc: all ones if none was named
}

/// The thread gets the mask that its creator had before it was placed. Not if somebody, perhaps its creator, has set
/// its mask since it was made. With the registry's lock held.
template <class Function>
void drop_inherited_mask(const Start<Function>& start) {
    const ThreadRecord& creator = *start.creator;
    // Its creator was not placed when it asked.
    const bool late = start.mask.empty();
    const std::vector<int>& mask = late ? creator.own_mask : start.mask;
    if (mask.empty() || registry().is_set_by_program(static_cast<pid_t>(syscall(SYS_gettid)))) return;
    if (!has_affinity(0, start.inherited) && !has_affinity(0, start.given)) return;
    const bool is_all = late ? creator.own_is_all : start.mask_is_all;
    (void)(is_all ? set_all_granted(0, mask) : set_affinity(0, mask));
}

/// @return what is left to be done, without anything to clean up: pthread_exit() and pthread_cancel() unwind through
/// the function that calls the routine, by the program's unwinder
template <class Function>
[[gnu::noinline]] std::pair<Function, void*> begin(void* started) noexcept {
    const std::unique_ptr<Start<Function>> start(static_cast<Start<Function>*>(started));
    {
        const std::lock_guard lock(registry().mutex());
        registry().forget_set_before(static_cast<pid_t>(syscall(SYS_gettid)), start->made);
        if (start->creator) drop_inherited_mask(*start);
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
    std::unique_ptr<Start<Function>> start(new (std::nothrow)
                                               Start<Function>{routine, argument, {}, {}, false, {}, {}, 0});
    try {
        if (start && !has_mask) start->creator = shared_self();
        if (start && start->creator) {
            const std::lock_guard lock(registry().mutex());
            start->mask = start->creator->own_mask;
            start->mask_is_all = start->creator->own_is_all;
            start->given = start->creator->given_mask;
            (void)get_affinity(0, start->inherited);
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
    const MaskStays stays;
    auto start = prepare(routine, argument, names_mask(attributes));
    if (!start) return EAGAIN;
    start->made = registry().expect();
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
    const MaskStays stays;
    auto start = prepare(routine, argument, false);
    if (!start) return thrd_nomem;
    start->made = registry().expect();
    const int error = create(thread, c11_trampoline, start.get());
    if (error == thrd_success)
        (void)start.release();
    else
        registry().arrived();
    return error;
}

}  // extern "C"
