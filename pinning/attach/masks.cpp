// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that the program sets itself: those threads are the program's, also where the mask is the one that they were
// given, which nobody could tell from ours afterwards.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <utility>
#include <vector>

#include "act/actuator.hpp"
#include "attach/next.hpp"
#include "attach/process.hpp"
#include "gimbal/rank_cores.h"
#include "machine/affinity.hpp"

namespace {

using namespace gimbal::pin;

constinit Next<int (*)(pid_t, size_t, const cpu_set_t*)> next_sched{"sched_setaffinity"};
constinit Next<int (*)(pthread_t, size_t, const cpu_set_t*)> next_pthread{"pthread_setaffinity_np"};

__attribute__((constructor)) void on_load() {
    keep(next_sched, next_pthread);
}

/// The kernel's number of a thread, as it stands in its clock's. @return 0: unknown
pid_t number_of(pthread_t thread) noexcept {
    clockid_t clock{};
    if (pthread_equal(thread, pthread_self()) != 0) return static_cast<pid_t>(syscall(SYS_gettid));
    return pthread_getcpuclockid(thread, &clock) == 0 ? ~(clock >> 3) : 0;
}

/// @param set  sets the mask of `thread`  @return what it does: 0, or not  @cost as OwnMask
template <class Set>
int set_and_note(pid_t thread, Set set) noexcept {
    if (!is_on()) {
        const int result = set();
        if (result == 0) gimbal_rank_cores_note_set(thread);
        return result;
    }
    if (is_ours() || !is_thread_of(0, thread)) return set();
    const std::unique_lock lock = registry().lock_within(1000);
    const LoansPaused paused;
    try {
        std::vector<int> before, now;
        const bool known = lock.owns_lock() && get_affinity(thread, before) == 0;
        if (const int result = set(); result != 0) return result;
        if (known && get_affinity(thread, now) == 0) registry().note_set(thread, std::move(before), now);
        return 0;
    } catch (const std::exception&) {
        return set();  // without memory nothing is noted
    }
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int sched_setaffinity(pid_t thread, size_t bytes,
                                                             const cpu_set_t* set) noexcept {
    const pid_t number = thread == 0 ? static_cast<pid_t>(syscall(SYS_gettid)) : thread;
    return set_and_note(number, [&] { return next_sched.get()(thread, bytes, set); });
}

__attribute__((visibility("default"))) int pthread_setaffinity_np(pthread_t thread, size_t bytes,
                                                                  const cpu_set_t* set) noexcept {
    return set_and_note(number_of(thread), [&] { return next_pthread.get()(thread, bytes, set); });
}

}  // extern "C"
