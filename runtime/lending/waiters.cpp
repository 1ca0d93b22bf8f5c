// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <new>

#include "gimbal/core_loan.h"
#include "lending/thread_core.hpp"

namespace {

// One for each thread at a time, in a list that only grows: no lock, so that a child after fork can go on with it.
struct Place {
    gimbal_waiter waiter{};
    std::atomic<bool> taken{true};
    Place* next = nullptr;
};

std::atomic<Place*> places{nullptr};

// @return nullptr: out of memory
Place* take_place() noexcept {
    for (Place* place = places.load(std::memory_order_acquire); place; place = place->next) {
        bool taken = false;
        // Acquire: the thread that had it has finished with it. Partner: the release in ~Mine().
        if (place->taken.compare_exchange_strong(taken, true, std::memory_order_acquire)) return place;
    }
    Place* const place = new (std::nothrow) Place;
    if (!place) return nullptr;
    place->next = places.load(std::memory_order_relaxed);
    while (!places.compare_exchange_weak(place->next, place, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return place;
}

struct Mine {
    Place* place = take_place();
    Mine() = default;
    Mine(const Mine&) = delete;
    Mine& operator=(const Mine&) = delete;
    ~Mine() {
        if (!place) return;
        gimbal_waiter& waiter = place->waiter;
        gimbal_waiter_home(&waiter);
        // Who still waits for this thread sees one that has come nowhere and has no clock.
        __atomic_store_n(&waiter.thread, 0, __ATOMIC_RELEASE);
        waiter.due = 0;
        place->taken.store(false, std::memory_order_release);
    }
};

}  // namespace

extern "C" gimbal_waiter* gimbal_waiter_mine(void) {
    thread_local const Mine mine;
    if (!mine.place) return nullptr;
    __atomic_store_n(&mine.place->waiter.thread, gimbal::this_thread(), __ATOMIC_RELEASE);
    return &mine.place->waiter;
}
