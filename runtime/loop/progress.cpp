// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/progress.hpp"

#include <atomic>

#include "base/clock.hpp"
#include "gimbal/rank_loop.h"

namespace gimbal {

__thread Progress thread_progress;

namespace {
std::atomic<int> threads_that_ask{0};
}

bool progress_asked() noexcept {
    return threads_that_ask.load(std::memory_order_relaxed) > 0;
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
    const int more = (callback ? 1 : 0) - (gimbal::thread_progress.callback ? 1 : 0);
    gimbal::threads_that_ask.fetch_add(more, std::memory_order_relaxed);
    const double period = period_us * 1e-6 / gimbal::seconds_per_tick();
    gimbal::thread_progress = {callback, argument, static_cast<std::uint64_t>(period), gimbal::ticks(), false};
}
