// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the library makes its function-local static objects: instead of the C++ library's own functions, which leave a
// child of fork() waiting for ever if another thread was making one, and end a process whose signal handler needs one
// that it interrupted. Here all are made under one lock that fork() waits for; what a handler needs is made once more.
// A constructor of such an object must not wait for another thread that may need one, nor for the loader.
#include "process/statics.hpp"

#include <pthread.h>
#include <time.h>

#include <cstdint>

namespace gimbal {

namespace {

constexpr int kPatience_ms = 500;
const pthread_mutex_t kFree = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t making = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
__thread bool held __attribute__((tls_model("initial-exec"))) = false;  // by this thread, which forks

}  // namespace

void hold_statics() noexcept {
    for (int tries = 0; tries < kPatience_ms && !(held = pthread_mutex_trylock(&making) == 0); ++tries) {
        const timespec moment = {0, 1'000'000};
        nanosleep(&moment, nullptr);
    }
}

void release_statics() noexcept {
    if (held) pthread_mutex_unlock(&making);
}

void restart_statics_in_child() noexcept {
    making = kFree;
}

}  // namespace gimbal

#if !defined(__SANITIZE_THREAD__)  // it has functions of its own

// The interface of the C++ ABI: compilers look at the first byte, which says that the object is there, and call these
// if it does not.
extern "C" {

__attribute__((visibility("hidden"))) int __cxa_guard_acquire(std::uint64_t* guard) {
    pthread_mutex_lock(&gimbal::making);
    if (__atomic_load_n(reinterpret_cast<const char*>(guard), __ATOMIC_ACQUIRE) == 0) return 1;
    pthread_mutex_unlock(&gimbal::making);
    return 0;
}

__attribute__((visibility("hidden"))) void __cxa_guard_release(std::uint64_t* guard) {
    // Release: who sees it sees the object, too; partner: the load that compilers write before each use.
    __atomic_store_n(reinterpret_cast<char*>(guard), char{1}, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&gimbal::making);
}

__attribute__((visibility("hidden"))) void __cxa_guard_abort(std::uint64_t* /*guard*/) {
    pthread_mutex_unlock(&gimbal::making);
}
}

#endif
