// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/background.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <new>
#include <utility>

namespace gimbal {

namespace {

// Low enough to yield to the program wherever both want a core, high enough to get somewhere where it never sleeps.
constexpr int kNice = 10;

struct Background {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> jobs;
    bool started = false;
    pthread_t thread{};
};

// Never destroyed: the thread may outlive static objects.
union Immortal {
    constexpr Immortal() noexcept : none(0) {}
    ~Immortal() {}
    char none;
    Background background;
};
Immortal storage;
std::once_flag made;
std::atomic<bool> stopping{false};
std::atomic<std::uint64_t> generation{0};
cpu_set_t first_mask;
bool first_mask_known = false;

// Threads inherit the mask of whoever starts them, and that may be an OpenMP thread that is bound to one core.
__attribute__((constructor)) void note_mask() {
    first_mask_known = sched_getaffinity(0, sizeof first_mask, &first_mask) == 0;
}

Background& background() {
    std::call_once(made, [] { new (&storage.background) Background; });
    return storage.background;
}

void* serve(void* /*unused*/) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
    pthread_setname_np(pthread_self(), "gimbal-select");
    if (first_mask_known) sched_setaffinity(0, sizeof first_mask, &first_mask);
    Background& own = background();
    std::unique_lock lock(own.mutex);
    while (true) {
        own.wake.wait(lock, [&] { return stopping.load() || !own.jobs.empty(); });
        if (stopping.load()) return nullptr;
        const std::function<void()> job = std::move(own.jobs.front());
        own.jobs.pop_front();
        lock.unlock();
        try {
            job();
        } catch (...) {  // out of memory: whoever asked waits in vain, and asks again
        }
        lock.lock();
    }
}

// With the lock held.
bool start(Background& own) noexcept {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    own.started = pthread_create(&own.thread, nullptr, serve, nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return own.started;
}

}  // namespace

bool run_in_background(bool elsewhere, std::function<void()> job) noexcept {
    try {
        if (!elsewhere) {
            job();
            return true;
        }
        Background& own = background();
        const std::lock_guard lock(own.mutex);
        if (stopping.load()) return false;
        if (!own.started && !start(own)) return false;
        own.jobs.push_back(std::move(job));
        own.wake.notify_one();
        return true;
    } catch (...) {
        return false;
    }
}

void stop_background() noexcept {
    stopping.store(true);
    Background& own = background();
    {
        const std::lock_guard lock(own.mutex);
        if (!own.started) return;
        own.started = false;
        own.wake.notify_one();
    }
    pthread_join(own.thread, nullptr);
}

bool background_is_stopping() noexcept {
    return stopping.load(std::memory_order_relaxed);
}

std::size_t background_waiting() noexcept {
    Background& own = background();
    const std::lock_guard lock(own.mutex);
    return own.jobs.size();
}

std::uint64_t background_generation() noexcept {
    return generation.load(std::memory_order_relaxed);
}

// What the parent's thread held is not released here: its memory is left as it is, and new begins beside it.
void restart_background_in_child() noexcept {
    new (&storage.background) Background;
    stopping.store(false);
    generation.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace gimbal
