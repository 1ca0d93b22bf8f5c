// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program, or an earlier run, says of a loop.
#include <mutex>

#include "base/process_state.hpp"
#include "loop/site.hpp"

namespace gimbal {

void LoopSite::set_hints(const UserHints& hints) {
    const std::lock_guard lock(mutex_);
    take_back_ready();
    may_stand_.store(false, std::memory_order_relaxed);
    learning_.set_hints(hints);
}

void LoopSite::set_static_fraction(double fraction) {
    const std::lock_guard lock(mutex_);
    take_back_ready();
    may_stand_.store(false, std::memory_order_relaxed);
    learning_.set_static_fraction(fraction);
}

double LoopSite::static_fraction() {
    const std::lock_guard lock(mutex_);
    take_back_ready();
    return learning_.static_fraction();
}

IterationStatistics LoopSite::statistics() {
    const auto lock = lock_or_give_up(mutex_);
    if (lock.owns_lock()) take_back_ready();
    return lock.owns_lock() ? learning_.statistics() : IterationStatistics{};
}

void LoopSite::set_statistics(const IterationStatistics& statistics) {
    const std::lock_guard lock(mutex_);
    take_back_ready();
    learning_.set_statistics(statistics);
}

}  // namespace gimbal
