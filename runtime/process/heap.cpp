// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where libgimbal.so's own objects live: in the C library's heap, but for those of a loop's first executions, and for
// those of the thread that ends the process.
//
// A loop's first executions allocate a dozen blocks while a team waits for them: base/early_memory.
//
// A signal handler that ends the process must not have interrupted the heap for Gimbal's sake: its lock would stay
// taken, and libomp, among others, allocates as it ends. So signals wait while Gimbal allocates, which loops that have
// run a few times hardly do. The handler may have interrupted the program's own malloc(): therefore memory for the
// report comes from mappings, and is never given back. Where neither heap nor kernel has any more (ulimit -v), what is
// left of early memory has to do. Only in the shared object, whose operators these are: nobody outside sees them.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/early_memory.hpp"
#include "base/held_signal.hpp"
#include "base/process_state.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers bring operators of their own

namespace {

/// Address space of which only what is used becomes memory. Under a limit (ulimit -v) there may be little of it.
struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

constexpr std::size_t kFirstMapping = std::size_t{1} << 20;  // each is twice as large as the one before
constinit std::array<Mapping, 24> mappings{};
constinit std::atomic<std::size_t> mapped{0};  // only the thread that ends the process adds to them
constinit std::uintptr_t next_free = 0;        // in the last one

/// The last one; empty: there is none. @pre by the thread that ends the process
Mapping last_mapping() noexcept {
    const std::size_t count = mapped.load(std::memory_order_relaxed);
    return count > 0 ? mappings[count - 1] : Mapping{};
}

/// One more, with room for so many bytes. @return whether there is
bool map_more(std::size_t least) noexcept {
    const std::size_t count = mapped.load(std::memory_order_relaxed);
    if (count == mappings.size()) return false;
    const Mapping last = last_mapping();
    for (std::size_t bytes = std::max({kFirstMapping, 2 * (last.end - last.begin), least}); bytes >= least;
         bytes /= 2) {
        void* const got =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) continue;
        next_free = reinterpret_cast<std::uintptr_t>(got);
        mappings[count] = {next_free, next_free + bytes};
        // Release where it lies; partner: the acquire load in is_mapped().
        mapped.store(count + 1, std::memory_order_release);
        return true;
    }
    return false;
}

/// For what allocates while an exception is on its way, as the destructor of a JSON value does: it must not fail, or
/// the process is aborted. Free again as soon as nobody has any of it. @pre by the thread that ends the process
struct LastReserve {
    static constexpr std::size_t kBytes = std::size_t{1} << 18;
    alignas(64) std::array<char, kBytes> bytes;
    std::size_t used;
    std::size_t blocks;

    [[nodiscard]] bool holds(const void* memory) const noexcept {
        const auto place = reinterpret_cast<std::uintptr_t>(memory);
        const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
        return place >= begin && place < begin + kBytes;
    }
    void* take(std::size_t size, std::size_t alignment) noexcept {
        const std::size_t begin = (used + alignment - 1) / alignment * alignment;
        if (alignment > alignof(LastReserve) || begin > kBytes || size > kBytes - begin) return nullptr;
        used = begin + size;
        ++blocks;
        return bytes.data() + begin;
    }
    void give_back() noexcept {
        if (--blocks == 0) used = 0;
    }
};
constinit LastReserve last_reserve{};

void* from_mapping(std::size_t size, std::size_t alignment) {
    for (int tries = 0; tries < 2; ++tries) {
        const std::uintptr_t end = last_mapping().end;
        const std::uintptr_t begin = (next_free + alignment - 1) / alignment * alignment;
        if (begin < end && size <= end - begin) {
            next_free = begin + size;
            return reinterpret_cast<void*>(begin);
        }
        if (size > SIZE_MAX / 4 || !map_more(size + alignment)) break;
    }
    if (void* const block = gimbal::allocate_last(size, alignment)) return block;
    if (std::uncaught_exceptions() > 0)
        if (void* const block = last_reserve.take(size, alignment)) return block;
    throw std::bad_alloc();
}

bool is_mapped(const void* memory) noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(memory);
    const auto within = [=](const Mapping& one) { return place >= one.begin && place < one.end; };
    return std::any_of(mappings.begin(), mappings.begin() + mapped.load(std::memory_order_acquire), within);
}

// A few small blocks that were given back, by size: holding back signals takes two system calls, and what a selector
// takes and gives back at every loop shall not cost them. A slot is taken by an exchange, so nobody waits for anybody.
constexpr std::size_t kStep = 64;
constexpr std::size_t kSizes = 16;
constexpr std::size_t kSlots = 8;
using Slots = std::array<std::atomic<void*>, kSlots>;
constinit std::array<Slots, kSizes> kept{};

Slots* slots_of(std::size_t size) noexcept {
    return size > 0 && size <= kSizes * kStep ? &kept[(size - 1) / kStep] : nullptr;
}

void* take_kept(Slots& slots) noexcept {
    for (std::atomic<void*>& slot : slots) {
        if (!slot.load(std::memory_order_relaxed)) continue;
        // Acquire: the thread that gave it back has done with it. Partner: the exchange in keep().
        if (void* const block = slot.exchange(nullptr, std::memory_order_acquire)) return block;
    }
    return nullptr;
}

bool keep(Slots& slots, void* block) noexcept {
    for (std::atomic<void*>& slot : slots) {
        void* none = slot.load(std::memory_order_relaxed);
        if (!none && slot.compare_exchange_strong(none, block, std::memory_order_release, std::memory_order_relaxed))
            return true;
    }
    return false;
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (gimbal::ending()) [[unlikely]]
        return from_mapping(size, alignment);
    if (Slots* const slots = alignment <= alignof(std::max_align_t) ? slots_of(size) : nullptr) {
        if (void* const block = take_kept(*slots)) return block;
        size = (size + kStep - 1) / kStep * kStep;
    }
    if (gimbal::EarlyAllocations* const early = gimbal::EarlyAllocations::innermost()) {
        if (void* const block = gimbal::allocate_early(std::max(size, std::size_t{1}), std::max(alignment, kStep)))
            return block;
        early->hold_signals();
    }
    const gimbal::HeldSignals held;
    void* memory = nullptr;
    if (alignment <= alignof(std::max_align_t))
        memory = std::malloc(size == 0 ? 1 : size);
    else if (posix_memalign(&memory, alignment, size) != 0)
        memory = nullptr;
    // A program that does without memory shall not end for what Gimbal wants to know of its loops.
    if (!memory) memory = gimbal::allocate_last(size, std::max(alignment, kStep));
    if (!memory) throw std::bad_alloc();
    return memory;
}

/// @param size  0: not known
void release(void* memory, std::size_t size) noexcept {
    if (!memory || gimbal::ending() || is_mapped(memory)) [[unlikely]] {
        if (last_reserve.holds(memory)) last_reserve.give_back();
        return;
    }
    if (Slots* const slots = slots_of(size); slots && keep(*slots, memory)) return;
    if (gimbal::is_early(memory)) return;
    const gimbal::HeldSignals held;
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    release(memory, 0);
}
void operator delete(void* memory, std::size_t size) noexcept {
    release(memory, size);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory, 0);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory, 0);
}

// Static objects of the library are never destroyed: loops may run until the very end. With nothing to call at exit,
// the list of what is to be called stays short, too; exit() gives the pieces of a long one back to the heap.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
    return 0;
}

#endif
