// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/progress.hpp"

#include "gimbal/rank_loop.h"
#include "measure/clock.hpp"

namespace gimbal {

__thread Progress progress;

void make_progress() noexcept {
    const std::uint64_t now = ticks();
    if (progress.calling || now - progress.last < progress.period) return;
    progress.calling = true;
    progress.callback(progress.argument);
    progress.calling = false;
    progress.last = ticks();
}

}  // namespace gimbal

extern "C" void gimbal_progress_set(void (*callback)(void*), void* argument, uint32_t period_us) {
    const double period = period_us * 1e-6 / gimbal::seconds_per_tick();
    gimbal::progress = {callback, argument, static_cast<std::uint64_t>(period), gimbal::ticks(), false};
}
