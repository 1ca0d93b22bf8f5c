// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/shared_slots.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "gimbal/rank_loop.h"
#include "team/meeting.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kApart = 128;

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + kApart - 1) / kApart * kApart;
}

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::uint8_t>::is_always_lock_free);

}  // namespace

SharedSlots::SharedSlots(Team& team, bool flagged)
    : ranks_(team.size()),
      flagged_(flagged),
      part_bytes_(gimbal_rank_part_bytes()),
      place_at_(rounded(sizeof(SlotHeader))),
      packet_at_(place_at_ + rounded(gimbal_rank_place_bytes(static_cast<std::uint32_t>(team.size())))),
      flags_at_(packet_at_ + kPacketBytes),
      left_steps_at_(flags_at_ + (flagged ? rounded(kMaxSteps) : 0)),
      parts_at_(left_steps_at_ + rounded(static_cast<std::size_t>(team.size()) * sizeof(AbandonedSteps))),
      slot_bytes_(parts_at_ + static_cast<std::size_t>(team.size()) * part_bytes_),
      count_(std::clamp<std::uint64_t>(kMemoryBytes / slot_bytes_, flagged ? kMinRobust : kFewest, kMax)),
      slots_at_(static_cast<std::size_t>(team.size()) * sizeof(RankProgress)),
      memory_(team.take_node_memory(slots_at_ + slot_bytes_ * count_)) {
    if (team.node_rank() == 0) {
        for (int rank = 0; rank < ranks_; ++rank)
            new (memory_ + static_cast<std::size_t>(rank) * sizeof(RankProgress)) RankProgress;
        for (std::uint64_t slot = 0; slot < count_; ++slot) {
            new (base(slot)) SlotHeader{
                .taken = slot == 0 ? 1U : 0U, .next = 0, .epoch = 0, .left = 0, .decision = 0, .trip = 0, .other = 0};
            for (int rank = 0; rank < ranks_; ++rank)
                new (base(slot) + left_steps_at_ + static_cast<std::size_t>(rank) * sizeof(AbandonedSteps))
                    AbandonedSteps;
            gimbal_rank_place_make(place(slot), static_cast<std::uint32_t>(team.size()));
            if (flagged_) std::memset(base(slot) + flags_at_, 0, kMaxSteps);
        }
    }
    await_all(team.node_comm());
}

SlotHeader& SharedSlots::header(std::uint64_t slot) const noexcept {
    return *std::launder(reinterpret_cast<SlotHeader*>(base(slot)));
}

std::atomic<std::uint8_t>* SharedSlots::flags(std::uint64_t slot) const noexcept {
    return reinterpret_cast<std::atomic<std::uint8_t>*>(base(slot) + flags_at_);
}

AbandonedSteps& SharedSlots::left_steps(std::uint64_t slot, int rank) const noexcept {
    return *std::launder(reinterpret_cast<AbandonedSteps*>(base(slot) + left_steps_at_ +
                                                           static_cast<std::size_t>(rank) * sizeof(AbandonedSteps)));
}

RankProgress& SharedSlots::progress(int rank) const noexcept {
    return *std::launder(reinterpret_cast<RankProgress*>(memory_) + rank);
}

std::uint64_t SharedSlots::take(std::uint64_t epoch) const noexcept {
    for (std::uint64_t slot = 0; slot < count_; ++slot) {
        SlotHeader& free = header(slot);
        std::uint32_t none = 0;
        if (free.taken.load(std::memory_order_relaxed) != 0 ||
            !free.taken.compare_exchange_strong(none, 1, std::memory_order_acquire, std::memory_order_relaxed))
            continue;
        free.epoch.store(epoch, std::memory_order_relaxed);
        return slot;
    }
    return kNone;
}

std::uint64_t SharedSlots::next(std::uint64_t slot, std::uint64_t epoch) const noexcept {
    std::atomic<std::uint32_t>& where = header(slot).next;
    std::uint32_t found = where.load(std::memory_order_acquire);
    if (found != 0) return found - 1;
    const std::uint64_t taken = take(epoch);
    if (taken == kNone) return kNone;
    if (where.compare_exchange_strong(found, static_cast<std::uint32_t>(taken + 1), std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        return taken;
    header(taken).taken.store(0, std::memory_order_release);  // another rank was faster
    return found - 1;
}

void SharedSlots::recycle(std::uint64_t slot) const noexcept {
    SlotHeader& done = header(slot);
    gimbal_rank_place_reset(place(slot));
    if (flagged_) std::memset(base(slot) + flags_at_, 0, kMaxSteps);
    done.left.store(0, std::memory_order_relaxed);
    done.next.store(0, std::memory_order_relaxed);
    done.trip.store(0, std::memory_order_relaxed);
    done.other.store(0, std::memory_order_relaxed);
    for (int rank = 0; rank < ranks_; ++rank) left_steps(slot, rank).clear();
    done.decision.store(static_cast<std::uint32_t>(Decided::no), std::memory_order_relaxed);
    done.taken.store(0, std::memory_order_release);
}

std::uint64_t SharedSlots::oldest_epoch() const noexcept {
    std::uint64_t oldest = UINT64_MAX;
    for (std::uint64_t slot = 0; slot < count_; ++slot) {
        if (header(slot).taken.load(std::memory_order_relaxed) != 0)
            oldest = std::min(oldest, header(slot).epoch.load(std::memory_order_relaxed));
    }
    return oldest;
}

}  // namespace gimbal::mpi
