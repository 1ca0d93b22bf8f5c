// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/early_memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "base/held_signal.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // whose pages come at once
constexpr std::size_t kReserve = kPiece << 2;
constexpr std::size_t kBytes = (kPiece << 5) + kReserve;
constexpr std::size_t kAhead = kPiece << 1;
constexpr std::size_t kLargest = std::size_t{1} << 12;
alignas(4096) constinit std::array<char, kBytes> bytes{};
constinit std::atomic<std::size_t> used{0};
constinit std::atomic<std::size_t> entered{0};  // pages before this one are there, or somebody is at it
constinit std::atomic<bool> refused{false};     // by the heap

/// Have a piece's pages there, unless somebody did. Where the kernel cannot, they come one by one.
void enter(std::size_t piece) noexcept {
    std::size_t before = entered.load(std::memory_order_relaxed);
    if (before > piece || !entered.compare_exchange_strong(before, piece + kPiece, std::memory_order_relaxed)) return;
#ifdef MADV_POPULATE_WRITE
    madvise(bytes.data() + piece, kPiece, MADV_POPULATE_WRITE);
#endif
}

void* allocate_below(std::size_t limit, std::size_t size, std::size_t alignment) noexcept {
    std::size_t before = used.load(std::memory_order_relaxed);
    std::size_t begin = 0;
    do {
        begin = (before + alignment - 1) / alignment * alignment;
        if (begin > limit || size > limit - begin) return nullptr;
    } while (!used.compare_exchange_weak(before, begin + size, std::memory_order_relaxed));
    const std::size_t next_piece = (before + kPiece - 1) / kPiece * kPiece;
    if (next_piece < begin + size) enter(next_piece);
    return bytes.data() + begin;
}

}  // namespace

void* allocate_early(std::size_t size, std::size_t alignment) noexcept {
    return size > kLargest ? nullptr : allocate_below(kBytes - kReserve, size, alignment);
}

void* allocate_last(std::size_t size, std::size_t alignment) noexcept {
    refused.store(true, std::memory_order_relaxed);
    return allocate_below(kBytes, size, alignment);
}

bool memory_is_short() noexcept {
    if (!refused.load(std::memory_order_relaxed)) return false;
    const HeldSignals held;
    void* const some = std::malloc(kPiece);
    asm volatile("" : : "r"(some) : "memory");  // or compilers leave both calls out
    std::free(some);
    if (some) refused.store(false, std::memory_order_relaxed);
    return !some;
}

bool is_early(const void* memory) noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(memory);
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    return place >= begin && place < begin + kBytes;
}

void enter_early_pages() noexcept {
    if (used.load(std::memory_order_relaxed) == 0) return;
    for (std::size_t piece = 0; piece < kAhead; piece += kPiece) enter(piece);
}

}  // namespace gimbal
