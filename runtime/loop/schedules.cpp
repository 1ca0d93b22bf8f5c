// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/schedules.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>

namespace gimbal {

namespace {

// A program names a handful of schedules; one that sets a new chunk in every step may run through many.
constexpr int kMost = 4096;

struct Interned {
    std::mutex mutex;
    std::array<Schedule, kMost> schedules;  // [0] unused; entries below `count` never change again
    std::atomic<int> count{1};
};

Interned& table() {
    static Interned* const the_table = new Interned;
    return *the_table;
}

}  // namespace

int intern(const Schedule& schedule) noexcept {
    Interned& all = table();
    const std::lock_guard lock(all.mutex);
    const int count = all.count.load(std::memory_order_relaxed);
    for (int i = 1; i < count; ++i) {
        if (all.schedules[static_cast<std::size_t>(i)] == schedule) return i;
    }
    if (count == kMost) {
        // Too many different chunks: the technique alone, if it is there.
        for (int i = 1; i < count; ++i) {
            const Schedule& known = all.schedules[static_cast<std::size_t>(i)];
            if (known.technique == schedule.technique && known.selector == schedule.selector) return i;
        }
        return 0;
    }
    all.schedules[static_cast<std::size_t>(count)] = schedule;
    all.count.store(count + 1, std::memory_order_release);
    return count;
}

void restart_schedules_lock() noexcept {
    new (&table().mutex) std::mutex;
}

// The number itself was handed over with whatever made it visible, so the entry is, too.
const Schedule& interned(int number) noexcept {
    return table().schedules[static_cast<std::size_t>(number)];
}

}  // namespace gimbal
