// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/node_queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "gimbal/hash.hpp"
#include "loop/transport.hpp"
#include "team/errors.hpp"
#include "team/meeting.hpp"

namespace gimbal::mpi {

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

constexpr std::uint32_t head_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 16U & 0xffffU);
}
constexpr std::uint32_t tail_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word & 0xffffU);
}
constexpr std::uint64_t kOneTaken = std::uint64_t{1} << 16U;
constexpr std::uint64_t kOneVersion = std::uint64_t{1} << 32U;
constexpr std::uint64_t kVersion = ~(kOneVersion - 1);

/// Never 0.
std::uint64_t hashed(const LoopParameters& parameters) noexcept {
    const std::uint64_t hash = hash_of(parameters.schedule.data(), hash_with(kHashOfNothing, parameters.trip));
    return hash_with(hash, parameters.idempotent) | 1U;
}

struct Sums {
    float time = 0;
    float iterations = 0;
};

}  // namespace

NodeQueue::NodeQueue(std::uint64_t epoch) noexcept : epoch_(epoch) {
    for (std::uint64_t k = 0; k < timed_.size(); ++k) timed_[k].turn.store(k, std::memory_order_relaxed);
}

bool NodeQueue::enter(const LoopParameters& parameters) noexcept {
    const std::uint64_t mine = hashed(parameters);
    std::uint64_t said = 0;
    if (!parameters_.compare_exchange_strong(said, mine, std::memory_order_relaxed) && said != mine) return false;
    entered_.fetch_add(1, std::memory_order_relaxed);
    return true;
}

// Acquire and release: the last one may use again what all the others have used.
bool NodeQueue::leave(std::uint32_t ranks) noexcept {
    return left_.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks;
}

std::uint64_t NodeQueue::note_answer(std::uint64_t now) noexcept {
    std::uint64_t first = first_answer_.load(std::memory_order_relaxed);
    if (first != 0 || !first_answer_.compare_exchange_strong(first, now, std::memory_order_relaxed)) return first;
    return now;
}

std::uint32_t NodeQueue::inside() const noexcept {
    const std::uint32_t entered = entered_.load(std::memory_order_relaxed);
    const std::uint32_t left = left_.load(std::memory_order_relaxed);
    return entered > left ? entered - left : 1;
}

bool NodeQueue::recycle(std::uint64_t next_epoch) noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    word_.store((word & kVersion) + kOneVersion, std::memory_order_relaxed);
    parameters_.store(0, std::memory_order_relaxed);
    entered_.store(0, std::memory_order_relaxed);
    left_.store(0, std::memory_order_relaxed);
    over_.store(0, std::memory_order_relaxed);
    over_for_all_.store(0, std::memory_order_relaxed);
    waiting_.store(0, std::memory_order_relaxed);
    drawn_.store(0, std::memory_order_relaxed);
    first_answer_.store(0, std::memory_order_relaxed);
    worked_.store(0, std::memory_order_relaxed);
    epoch_.store(next_epoch, std::memory_order_release);
    return head_of(word) == tail_of(word);
}

bool NodeQueue::pop(ChunkBounds& chunk) noexcept {
    // Acquire: the entries were written before the word; partner: the release in publish().
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while (head_of(word) < tail_of(word)) {
        const Entry& entry = entries_[head_of(word)];
        chunk = {.first = entry.first.load(std::memory_order_relaxed),
                 .end = entry.end.load(std::memory_order_relaxed)};
        if (word_.compare_exchange_weak(word, word + kOneTaken, std::memory_order_acq_rel, std::memory_order_acquire))
            return true;
    }
    return false;
}

void NodeQueue::publish(const std::array<ChunkBounds, kMaxAtOnce>& chunks, std::uint32_t count) noexcept {
    if (count == 0) return;
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    for (std::uint32_t k = 0; k < count; ++k) {
        entries_[k].first.store(chunks[k].first, std::memory_order_relaxed);
        entries_[k].end.store(chunks[k].end, std::memory_order_relaxed);
    }
    word_.store((word & kVersion) + kOneVersion + count, std::memory_order_release);
}

// A ring for many writers and readers: place k is written by number k, k + kMaxTimed and so on, each after the reader
// of the one before.
bool NodeQueue::note_timed(const TimedChunk& chunk) noexcept {
    std::uint64_t number = timed_tail_.load(std::memory_order_relaxed);
    for (;;) {
        TimedPlace& place = timed_[number % kMaxTimed];
        // Acquire: its reader is through; partner: the release in take_timed().
        const std::uint64_t turn = place.turn.load(std::memory_order_acquire);
        if (turn < number) return false;
        if (turn > number) {
            number = timed_tail_.load(std::memory_order_relaxed);
            continue;
        }
        if (!timed_tail_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) continue;
        place.first.store(chunk.first, std::memory_order_relaxed);
        place.end.store(chunk.end, std::memory_order_relaxed);
        place.time_s.store(chunk.time_s, std::memory_order_relaxed);
        place.turn.store(number + 1, std::memory_order_release);
        return true;
    }
}

std::uint32_t NodeQueue::take_timed(std::array<TimedChunk, kMaxTimed>& chunks) noexcept {
    std::uint32_t count = 0;
    std::uint64_t number = timed_head_.load(std::memory_order_relaxed);
    while (count < kMaxTimed) {
        TimedPlace& place = timed_[number % kMaxTimed];
        // Acquire: its writer is through; partner: the release in note_timed().
        const std::uint64_t turn = place.turn.load(std::memory_order_acquire);
        if (turn <= number) break;
        if (turn > number + 1) {
            number = timed_head_.load(std::memory_order_relaxed);
            continue;
        }
        if (!timed_head_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) continue;
        chunks[count++] = {.first = place.first.load(std::memory_order_relaxed),
                           .end = place.end.load(std::memory_order_relaxed),
                           .time_s = place.time_s.load(std::memory_order_relaxed)};
        place.turn.store(number + kMaxTimed, std::memory_order_release);
        ++number;
    }
    return count;
}

void NodeQueue::worked(std::uint64_t time, std::uint64_t iterations) noexcept {
    if (iterations == 0) return;
    std::uint64_t old = worked_.load(std::memory_order_relaxed);
    std::uint64_t sum = 0;
    do {
        Sums sums = std::bit_cast<Sums>(old);
        sums.time += static_cast<float>(time);
        sums.iterations += static_cast<float>(iterations);
        sum = std::bit_cast<std::uint64_t>(sums);
    } while (!worked_.compare_exchange_weak(old, sum, std::memory_order_relaxed));
}

void NodeQueue::take_worked(std::uint64_t& time, std::uint64_t& iterations) noexcept {
    constexpr float kMax = 9e18F;
    const auto sums = std::bit_cast<Sums>(worked_.exchange(0, std::memory_order_relaxed));
    time = static_cast<std::uint64_t>(std::min(sums.time, kMax));
    iterations = static_cast<std::uint64_t>(std::min(sums.iterations, kMax));
}

ChunkQueues::ChunkQueues(Team& team)
    : ranks_(static_cast<std::uint32_t>(team.node_size())),
      memory_(zeroed_node_memory(team, kCount * (sizeof(NodeQueue) + ranks_ * sizeof(Stay)))) {
    if (team.node_rank() == 0) {
        for (std::uint64_t epoch = 0; epoch < kCount; ++epoch) {
            new (memory_ + epoch * sizeof(NodeQueue)) NodeQueue(epoch);
            for (Stay& stay : stays(epoch)) new (&stay) Stay;
        }
    }
    await_all(team.node_comm());
}

NodeQueue& ChunkQueues::at(std::uint64_t epoch) const noexcept {
    return *std::launder(reinterpret_cast<NodeQueue*>(memory_ + epoch % kCount * sizeof(NodeQueue)));
}

std::span<Stay> ChunkQueues::stays(std::uint64_t epoch) const noexcept {
    std::byte* const all = memory_ + kCount * sizeof(NodeQueue);
    return {reinterpret_cast<Stay*>(all) + epoch % kCount * ranks_, ranks_};
}

void ChunkQueues::leave(std::uint64_t epoch) const {
    NodeQueue& queue = at(epoch);
    if (queue.leave(ranks_) && !queue.recycle(epoch + kCount)) warn(kRunByNobody);
}

}  // namespace gimbal::mpi
