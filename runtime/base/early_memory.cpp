// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/early_memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace gimbal {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // whose pages come at once
constexpr std::size_t kBytes = kPiece << 5;
constexpr std::size_t kAhead = kPiece << 1;
alignas(4096) constinit std::array<char, kBytes> bytes{};
constinit std::atomic<std::size_t> used{0};
constinit std::atomic<std::size_t> entered{0};  // pages before this one are there, or somebody is at it

/// Have a piece's pages there, unless somebody did. Where the kernel cannot, they come one by one.
void enter(std::size_t piece) noexcept {
    std::size_t before = entered.load(std::memory_order_relaxed);
    if (before > piece || !entered.compare_exchange_strong(before, piece + kPiece, std::memory_order_relaxed)) return;
#ifdef MADV_POPULATE_WRITE
    madvise(bytes.data() + piece, kPiece, MADV_POPULATE_WRITE);
#endif
}

}  // namespace

void* allocate_early(std::size_t size, std::size_t alignment, std::size_t largest) noexcept {
    std::size_t before = used.load(std::memory_order_relaxed);
    std::size_t begin = 0;
    do {
        begin = (before + alignment - 1) / alignment * alignment;
        if (size > largest || begin > kBytes || size > kBytes - begin) return nullptr;
    } while (!used.compare_exchange_weak(before, begin + size, std::memory_order_relaxed));
    const std::size_t next_piece = (before + kPiece - 1) / kPiece * kPiece;
    if (next_piece < begin + size) enter(next_piece);
    return bytes.data() + begin;
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
