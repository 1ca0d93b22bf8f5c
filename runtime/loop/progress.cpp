// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/progress.hpp"

#include <pthread.h>

#include <atomic>

#include "base/clock.hpp"
#include "gimbal/rank_loop.h"

namespace gimbal {

__thread Progress thread_progress;

namespace {

// Who asks. The upper half counts the rounds, of which each ends when all threads are ended at once; the lower half the
// threads that have asked in this one. Relaxed, always: it orders nothing but itself.
constexpr std::uint64_t kRound = std::uint64_t{1} << 32U;
std::atomic<std::uint64_t> asking{0};

// This thread asks no more. Of an earlier round it is not counted any more.
void withdraw(void*) noexcept {
    if (!thread_progress.callback) return;
    thread_progress.callback = nullptr;
    std::uint64_t now = asking.load(std::memory_order_relaxed);
    while (now / kRound == thread_progress.round &&
           !asking.compare_exchange_weak(now, now - 1, std::memory_order_relaxed)) {
    }
}

void end_round() noexcept {
    std::uint64_t now = asking.load(std::memory_order_relaxed);
    while (!asking.compare_exchange_weak(now, (now / kRound + 1) * kRound, std::memory_order_relaxed)) {
    }
}

// For threads that end. Not a thread_local object: see runtime/lending/waiters.cpp.
pthread_key_t key{};
const bool key_made = pthread_key_create(&key, withdraw) == 0;

}  // namespace

bool progress_asked() noexcept {
    return asking.load(std::memory_order_relaxed) % kRound > 0;
}

bool drop_ended_progress() noexcept {
    if (asking.load(std::memory_order_relaxed) / kRound == thread_progress.round) return false;
    thread_progress.callback = nullptr;
    return true;
}

void make_progress() noexcept {
    const std::uint64_t now = ticks();
    if (thread_progress.calling || now - thread_progress.last < thread_progress.period) return;
    thread_progress.calling = true;
    thread_progress.callback(thread_progress.argument);
    thread_progress.calling = false;
    thread_progress.last = ticks();
}

}  // namespace gimbal

extern "C" void gimbal_progress_set(void (*callback)(void*), void* argument, uint32_t period_us) {
    using namespace gimbal;
    if (!callback) return end_round();
    withdraw(nullptr);
    if (key_made) pthread_setspecific(key, &thread_progress);  // out of memory: it is counted until all are ended
    const std::uint64_t round = asking.fetch_add(1, std::memory_order_relaxed) / kRound;
    const double period = period_us * 1e-6 / seconds_per_tick();
    thread_progress = {callback, argument, static_cast<std::uint64_t>(period), ticks(), false, round};
}
