// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/schedules.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>

#include "base/warnings.hpp"
#include "gimbal/hash.hpp"

namespace gimbal {

namespace {

// A program names a handful of schedules; one that sets a new chunk in every step runs through thousands.
constexpr std::size_t kInBlock = 1024;
constexpr std::size_t kBlocks = 256;
constexpr std::size_t kBuckets = 16384;

struct Interned {
    ScheduleSpec schedule;
    int next = 0;  // of those with the same hash; 0: none
};

using Block = std::array<Interned, kInBlock>;

// A fork() may interrupt an insertion at any place; what is in a chain by then is whole.
struct Table {
    std::atomic<std::uint64_t> by_program;  // omp_sched_t of its last call with one of OpenMP's own, above its chunk
    std::mutex mutex;                       // guards insertion
    std::size_t count;                      // numbers given out; 0 is nobody's
    std::array<std::atomic<Block*>, kBlocks> blocks;
    std::array<std::atomic<int>, kBuckets> chains;  // the newest number by hash; 0: none

    Interned& at(std::size_t number) noexcept {
        // The number was handed over with whatever made it visible, so its block and its entry are, too.
        return (*blocks[number / kInBlock].load(std::memory_order_relaxed))[number % kInBlock];
    }
};

constinit Table table{};

std::atomic<int>& chain_of(const ScheduleSpec& schedule) noexcept {
    std::uint64_t hash = hash_of(schedule.selector);
    hash = hash_with(hash, reinterpret_cast<std::uintptr_t>(schedule.technique));
    hash = hash_with(hash, schedule.chunk);
    hash = hash_with(hash, std::bit_cast<std::uint64_t>(schedule.fraction));
    hash = hash_with(hash, static_cast<std::uint64_t>(schedule.modifier));
    return table.chains[hash % kBuckets];
}

int find(int number, const ScheduleSpec& schedule) noexcept {
    while (number != 0 && table.at(static_cast<std::size_t>(number)).schedule != schedule)
        number = table.at(static_cast<std::size_t>(number)).next;
    return number;
}

// With the lock held. @return 0: there are too many, or there is no memory
std::size_t new_number() noexcept {
    const std::size_t number = table.count + 1;
    if (number == kInBlock * kBlocks) return 0;
    std::atomic<Block*>& block = table.blocks[number / kInBlock];
    if (!block.load(std::memory_order_relaxed)) {
        auto* const made = new (std::nothrow) Block;
        if (!made) return 0;
        block.store(made, std::memory_order_relaxed);
    }
    return table.count = number;
}

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
    table.by_program.store(plain ? static_cast<std::uint64_t>(kind) << 32 | size : 0, std::memory_order_relaxed);
}

std::string program_schedule() {
    constexpr std::array<const char*, 5> kNames = {"", "static", "dynamic", "guided", "auto"};
    const std::uint64_t asked = table.by_program.load(std::memory_order_relaxed);
    std::string text = kNames[asked >> 32];
    if (const std::uint64_t chunk = asked & 0xFFFFFFFF) text.append(1, ',').append(std::to_string(chunk));
    return text;
}

int intern(const ScheduleSpec& schedule) noexcept {
    std::atomic<int>& chain = chain_of(schedule);
    // Acquire what the inserting thread wrote; partner: the release store below.
    if (const int known = find(chain.load(std::memory_order_acquire), schedule)) return known;
    const std::lock_guard lock(table.mutex);
    const int newest = chain.load(std::memory_order_relaxed);
    if (const int known = find(newest, schedule)) return known;
    const std::size_t number = new_number();
    if (number == 0) {
        warn_once([] {
            return "omp_set_schedule: the program has set " + std::to_string(table.count) +
                   " different schedules, and there is no room for more; loops under others run in equal blocks.";
        });
        return 0;
    }
    table.at(number) = {schedule, newest};
    chain.store(static_cast<int>(number), std::memory_order_release);
    return static_cast<int>(number);
}

void restart_schedules_lock() noexcept {
    new (&table.mutex) std::mutex;
}

const ScheduleSpec& interned(int number) noexcept {
    return table.at(static_cast<std::size_t>(number)).schedule;
}

const ScheduleSpec* interned_if_any(int number) noexcept {
    const std::lock_guard lock(table.mutex);
    return number > 0 && static_cast<std::size_t>(number) <= table.count ? &interned(number) : nullptr;
}

}  // namespace gimbal
