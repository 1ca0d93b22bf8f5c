// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program, or an earlier run, says of a loop.
#include <mutex>

#include "base/process_state.hpp"
#include "loop/site.hpp"

namespace gimbal {

// With the lock held: what was opened by the old settings is not repeated, and nothing stands any more.
void LoopSite::settings_change() noexcept {
    may_stand_ = false;
    for (Execution* const execution : existing_) execution->repeat_no_more();
    take_back_ready();
}

void LoopSite::set_hints(const UserHints& hints) {
    const std::lock_guard lock(mutex_);
    settings_change();
    learning_.set_hints(hints);
}

void LoopSite::set_static_fraction(double fraction) {
    const std::lock_guard lock(mutex_);
    settings_change();
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
