// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/schedules.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>

namespace gimbal {

namespace {

// A program names a handful of schedules; one that sets a new chunk in every step may run through many.
constexpr int kMax = 4096;

struct Interned {
    std::mutex mutex;
    std::array<ScheduleSpec, kMax> schedules;  // [0] unused; entries below `count` never change again
    std::atomic<int> count{1};
};

Interned& table() {
    static Interned* const the_table = new Interned;
    return *the_table;
}

// omp_sched_t of the program's last call with one of OpenMP's own, above its chunk; 0: none.
std::atomic<std::uint64_t> g_by_program{0};

std::atomic<bool> g_nobody_asked{false};

}  // namespace

void note_nobody_asked() noexcept {
    g_nobody_asked.store(true, std::memory_order_relaxed);
}

bool nobody_asked() noexcept {
    return g_nobody_asked.load(std::memory_order_relaxed);
}

void note_program_schedule(int kind, int chunk) noexcept {
    const auto size = static_cast<std::uint32_t>(chunk > 0 ? chunk : 0);
    const bool plain = kind >= 1 && kind <= 4;  // static dynamic guided auto
    g_by_program.store(plain ? static_cast<std::uint64_t>(kind) << 32 | size : 0, std::memory_order_relaxed);
}

std::string program_schedule() {
    constexpr std::array<const char*, 5> kNames = {"", "static", "dynamic", "guided", "auto"};
    const std::uint64_t asked = g_by_program.load(std::memory_order_relaxed);
    std::string text = kNames[asked >> 32];
    if (const std::uint64_t chunk = asked & 0xFFFFFFFF) text.append(1, ',').append(std::to_string(chunk));
    return text;
}

int intern(const ScheduleSpec& schedule) noexcept {
    Interned& all = table();
    const std::lock_guard lock(all.mutex);
    const int count = all.count.load(std::memory_order_relaxed);
    for (int i = 1; i < count; ++i) {
        if (all.schedules[static_cast<std::size_t>(i)] == schedule) return i;
    }
    if (count == kMax) {
        // Too many different chunks: the technique alone, if it is there.
        for (int i = 1; i < count; ++i) {
            const ScheduleSpec& known = all.schedules[static_cast<std::size_t>(i)];
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
const ScheduleSpec& interned(int number) noexcept {
    return table().schedules[static_cast<std::size_t>(number)];
}

}  // namespace gimbal
