// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loop/abandoned_steps.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// What the ranks of a node say about one execution in shared memory.
struct SlotHeader {
    /// 1: an execution has the slot. Release by the root that made it ready for another; acquire by who takes it.
    std::atomic<std::uint32_t> taken;
    /// Number of the slot of the next execution, plus 1; 0: it has none yet. Release by who took that; acquire by who
    /// goes there.
    std::atomic<std::uint32_t> next;
    /// Which execution has it; for messages.
    std::atomic<std::uint64_t> epoch;
    /// Ranks that have left. Release by each; acquire by the root, which then reads their parts.
    std::atomic<std::uint32_t> left;
    /// How it runs. Release by who decides; acquire by who enters.
    std::atomic<std::uint32_t> decision;
    /// N + 1 as the first rank to enter said; 0: nobody has.
    std::atomic<std::uint64_t> trip;
    /// What the first rank said that does not agree with it: its N + 1, or kWrongArguments; 0: all agree. Then nobody
    /// gets more chunks, and nothing is learnt. Release by that rank, which ends the counter after it; acquire by who
    /// gets no chunk, and by who enters.
    std::atomic<std::uint64_t> other;

    static constexpr std::uint64_t kWrongArguments = UINT64_MAX;
};
static_assert(sizeof(SlotHeader) == 40, "raise kLayout in team/team.cpp, then put down the new size");

enum class Decided : std::uint32_t {
    no,
    by_packet,  ///< as the slot's packet says
    as_before   ///< as the execution before: the root was not there in time
};

/// How far a rank is, in a cache line of its own.
struct alignas(128) RankProgress {
    std::atomic<std::uint64_t> entered{0};  ///< executions that it has come to [count]
    std::atomic<std::uint64_t> left{0};     ///< and left [count]
};
static_assert(sizeof(RankProgress) == 128 && offsetof(RankProgress, left) == 8, "raise kLayout in team/team.cpp");

/// The slots of one loop. An execution takes the first that is free, so that the same few are in use, and in the cache,
/// unless ranks are far apart; each says where the next execution is.
/// @threads any rank, where nothing else is said
class SharedSlots {
public:
    static constexpr std::size_t kPacketBytes = std::size_t{1} << 16U;
    static constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 12U;  ///< that flags of finished steps are kept for

    static constexpr std::uint64_t kNone = UINT64_MAX;

    /// Collective over the team, whose ranks are all on one node. Execution 0 has slot 0.
    /// @param flagged  whether finished steps are kept: loops may be robust
    SharedSlots(Team& team, bool flagged);

    /// Executions that may be in flight: as many as kMemoryBytes hold, within bounds.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] SlotHeader& header(std::uint64_t slot) const noexcept;
    /// For gimbal_rank_prepare().
    [[nodiscard]] void* place(std::uint64_t slot) const noexcept { return base(slot) + place_at_; }
    [[nodiscard]] std::byte* packet(std::uint64_t slot) const noexcept { return base(slot) + packet_at_; }
    [[nodiscard]] std::byte* part(std::uint64_t slot, int rank) const noexcept {
        return base(slot) + parts_at_ + static_cast<std::size_t>(rank) * part_bytes_;
    }
    /// [kMaxSteps] one byte for each step of the plan; only if flagged.
    [[nodiscard]] std::atomic<std::uint8_t>* flags(std::uint64_t slot) const noexcept;

    /// What a rank left to others.
    [[nodiscard]] AbandonedSteps& left_steps(std::uint64_t slot, int rank) const noexcept;

    [[nodiscard]] RankProgress& progress(int rank) const noexcept;

    /// The slot of the execution after the one that has `slot`; takes one if it has none.
    /// @param epoch  of that next execution  @return kNone: none is free
    [[nodiscard]] std::uint64_t next(std::uint64_t slot, std::uint64_t epoch) const noexcept;

    /// No execution has it any more. @threads the root, when all have left
    void recycle(std::uint64_t slot) const noexcept;

    /// The oldest execution that is in flight.
    [[nodiscard]] std::uint64_t oldest_epoch() const noexcept;

private:
    /// Of one loop; packets that are not used take none.
    static constexpr std::size_t kMemoryBytes = std::size_t{8} << 20U;
    static constexpr std::uint64_t kFewest = 16;
    static constexpr std::uint64_t kMinRobust = 33;
    static constexpr std::uint64_t kMax = 64;

    [[nodiscard]] std::byte* base(std::uint64_t slot) const noexcept {
        return memory_ + slots_at_ + slot * slot_bytes_;
    }
    [[nodiscard]] std::uint64_t take(std::uint64_t epoch) const noexcept;

    int ranks_;
    bool flagged_;
    std::size_t part_bytes_;
    std::size_t place_at_;
    std::size_t packet_at_;
    std::size_t flags_at_;
    std::size_t left_steps_at_;
    std::size_t parts_at_;
    std::size_t slot_bytes_;
    std::uint64_t count_;
    std::size_t slots_at_;
    std::byte* memory_;
};

}  // namespace gimbal::mpi
