// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/waiters.hpp"

#include <pthread.h>

#include <atomic>
#include <new>

#include "gimbal/core_loan.h"
#include "lending/thread_core.hpp"

namespace {

// One for each thread at a time, in a list that only grows: no lock, so that a child after fork can go on with it.
struct Place {
    gimbal_waiter waiter{};
    std::atomic<bool> taken{true};
    bool ending = false;  // its thread has ended, and destructors of that thread's data run
    Place* next = nullptr;
};

std::atomic<Place*> places{nullptr};

// @return nullptr: out of memory
Place* take_place() noexcept {
    for (Place* place = places.load(std::memory_order_acquire); place; place = place->next) {
        bool taken = false;
        // Acquire: the thread that had it has finished with it. Partner: the release in give_back().
        if (place->taken.compare_exchange_strong(taken, true, std::memory_order_acquire)) return place;
    }
    Place* const place = new (std::nothrow) Place;
    if (!place) return nullptr;
    place->next = places.load(std::memory_order_relaxed);
    while (!places.compare_exchange_weak(place->next, place, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return place;
}

// A thread has ended: its place is for others.
void give_back(void* kept) noexcept {
    auto* const place = static_cast<Place*>(kept);
    gimbal_waiter_home(&place->waiter);
    // Who still waits for this thread sees one that has come nowhere and has no clock.
    __atomic_store_n(&place->waiter.thread, 0, __ATOMIC_RELEASE);
    place->waiter.due = 0;
    place->ending = false;
    place->taken.store(false, std::memory_order_release);
}

pthread_key_t key{};

// Not in the first round of destructors: until that is over libomp has the thread as it was, and others of its
// destructors may run loops.
void give_back_later(void* kept) noexcept {
    auto* const place = static_cast<Place*>(kept);
    if (!place->ending && pthread_setspecific(key, kept) == 0) {
        place->ending = true;
    } else {
        give_back(place);
    }
}

// Not a thread_local object: its first use would wait for the loader, which may be running the very constructor whose
// loop waits for this thread.
const bool key_made = pthread_key_create(&key, give_back_later) == 0;

// @return nullptr: out of memory or keys
Place* own_place() noexcept {
    if (!key_made) return nullptr;
    if (void* const kept = pthread_getspecific(key)) return static_cast<Place*>(kept);
    Place* const place = take_place();
    if (place && pthread_setspecific(key, place) != 0) {
        give_back(place);
        return nullptr;
    }
    return place;
}

}  // namespace

std::size_t gimbal::waiting_threads(std::span<pid_t> into) noexcept {
    std::size_t count = 0;
    for (Place* place = places.load(std::memory_order_acquire); place && count < into.size(); place = place->next)
        if (const auto thread = static_cast<pid_t>(__atomic_load_n(&place->waiter.thread, __ATOMIC_ACQUIRE)))
            into[count++] = thread;
    return count;
}

extern "C" gimbal_waiter* gimbal_waiter_mine(void) {
    Place* const place = own_place();
    if (!place) return nullptr;
    __atomic_store_n(&place->waiter.thread, gimbal::this_thread(), __ATOMIC_RELEASE);
    return &place->waiter;
}
