// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace gimbal::mpi {

/// Grains [first, end) of one rank's items. A grain is one item, or several where a rank owns more than 2^32 - 1.
struct Grains {
    std::uint32_t first = 0;
    std::uint32_t end = 0;

    [[nodiscard]] std::uint32_t size() const noexcept { return end - first; }
    explicit operator bool() const noexcept { return first < end; }
};

/// What a rank has left, [head, end) in one 64-bit word: the owner takes from the front, thieves from the back, each by
/// one compare-and-swap. A grain that was taken never comes back, so a word that compares equal *is* the same range.
/// Works between processes: the word may lie in memory that they share.
/// @threads put() the owner, while nobody takes; all else any  @source docs/decisions/0008-queues.md; test:
/// tests/mpi/steal/queue_word_test.cpp
class QueueWord {
public:
    /// Fill it with grains [0, count).
    void put(std::uint32_t count) noexcept { word_.store(pack({0, count}), std::memory_order_release); }

    [[nodiscard]] std::uint32_t left() const noexcept { return unpack(word_.load(std::memory_order_acquire)).size(); }

    /// At most `most` grains from the front. @return empty: nothing is left
    Grains take_front(std::uint32_t most) noexcept {
        return take([most](Grains left) { return Grains{left.first, left.first + std::min(most, left.size())}; });
    }

    /// Grains from the back. @param amount  of the grains that are left, how many: (uint32_t >= 1) -> uint32_t
    template <class Amount>
    Grains take_back(const Amount& amount) noexcept {
        return take([&amount](Grains left) {
            return Grains{left.end - std::min<std::uint32_t>(amount(left.size()), left.size()), left.end};
        });
    }

private:
    static constexpr std::uint64_t pack(Grains grains) noexcept {
        return static_cast<std::uint64_t>(grains.first) << 32U | grains.end;
    }
    static constexpr Grains unpack(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 32U), static_cast<std::uint32_t>(word)};
    }

    // `part` of what is left begins where that begins, or ends where it ends.
    template <class Part>
    Grains take(const Part& part) noexcept {
        std::uint64_t seen = word_.load(std::memory_order_acquire);
        for (;;) {
            const Grains left = unpack(seen);
            if (!left) return {};
            const Grains mine = part(left);
            const Grains rest = mine.first == left.first ? Grains{mine.end, left.end} : Grains{left.first, mine.first};
            if (word_.compare_exchange_weak(seen, pack(rest), std::memory_order_acq_rel, std::memory_order_acquire))
                return mine;
        }
    }

    std::atomic<std::uint64_t> word_{0};
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "must work between processes");
};

}  // namespace gimbal::mpi
