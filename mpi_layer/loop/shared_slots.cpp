// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/shared_slots.hpp"

#include <cstring>
#include <new>

#include "gimbal/rank_loop.h"
#include "team/check.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kApart = 128;

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + kApart - 1) / kApart * kApart;
}

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::uint8_t>::is_always_lock_free);

}  // namespace

SharedSlots::SharedSlots(Team& team, std::uint64_t count, bool flagged)
    : count_(count),
      ranks_(team.size()),
      flagged_(flagged),
      part_bytes_(gimbal_rank_part_bytes()),
      place_at_(rounded(sizeof(SlotHeader))),
      packet_at_(place_at_ + rounded(gimbal_rank_place_bytes(static_cast<std::uint32_t>(team.size())))),
      flags_at_(packet_at_ + kPacketBytes),
      left_steps_at_(flags_at_ + (flagged ? rounded(kMostSteps) : 0)),
      parts_at_(left_steps_at_ + rounded(static_cast<std::size_t>(team.size()) * sizeof(LeftSteps))),
      slot_bytes_(parts_at_ + static_cast<std::size_t>(team.size()) * part_bytes_),
      memory_(team.node_comm(), slot_bytes_ * count) {
    if (team.node_rank() == 0) {
        for (std::uint64_t slot = 0; slot < count; ++slot) {
            new (base(slot)) SlotHeader{.epoch = slot, .left = 0, .decision = 0, .trip = 0, .other = 0};
            for (int rank = 0; rank < ranks_; ++rank)
                new (base(slot) + left_steps_at_ + static_cast<std::size_t>(rank) * sizeof(LeftSteps)) LeftSteps;
            gimbal_rank_place_make(place(slot), static_cast<std::uint32_t>(team.size()));
        }
    }
    check(MPI_Barrier(team.node_comm()), "MPI_Barrier");
}

SlotHeader& SharedSlots::header(std::uint64_t epoch) const noexcept {
    return *std::launder(reinterpret_cast<SlotHeader*>(base(epoch)));
}

std::atomic<std::uint8_t>* SharedSlots::flags(std::uint64_t epoch) const noexcept {
    return reinterpret_cast<std::atomic<std::uint8_t>*>(base(epoch) + flags_at_);
}

LeftSteps& SharedSlots::left_steps(std::uint64_t epoch, int rank) const noexcept {
    return *std::launder(reinterpret_cast<LeftSteps*>(base(epoch) + left_steps_at_ +
                                                      static_cast<std::size_t>(rank) * sizeof(LeftSteps)));
}

void SharedSlots::recycle(std::uint64_t epoch) const noexcept {
    SlotHeader& slot = header(epoch);
    gimbal_rank_place_reset(place(epoch));
    if (flagged_) std::memset(base(epoch) + flags_at_, 0, kMostSteps);
    slot.left.store(0, std::memory_order_relaxed);
    slot.trip.store(0, std::memory_order_relaxed);
    slot.other.store(0, std::memory_order_relaxed);
    for (int rank = 0; rank < ranks_; ++rank) left_steps(epoch, rank).clear();
    slot.decision.store(static_cast<std::uint32_t>(Decided::no), std::memory_order_relaxed);
    slot.epoch.store(epoch + count_, std::memory_order_release);
}

}  // namespace gimbal::mpi
