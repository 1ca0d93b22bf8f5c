// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loop/left_steps.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// What the ranks of a node say about one execution in shared memory.
struct SlotHeader {
    /// Which execution the slot is for. Release by the root that made it ready; acquire by who enters.
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

enum class Decided : std::uint32_t {
    no,
    by_packet,  ///< as the slot's packet says
    as_before   ///< as the execution before: the root was not there in time
};

/// The slots of one loop: execution e is in slot e mod count.
class SharedSlots {
public:
    static constexpr std::size_t kPacketBytes = std::size_t{1} << 16U;
    static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 12U;  ///< that flags of finished steps are kept for

    /// Collective over the team, whose ranks are all on one node.
    /// @param count    executions that may be in flight
    /// @param flagged  whether finished steps are kept
    SharedSlots(Team& team, std::uint64_t count, bool flagged);

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] SlotHeader& header(std::uint64_t epoch) const noexcept;
    /// For gimbal_rank_prepare().
    [[nodiscard]] void* place(std::uint64_t epoch) const noexcept { return base(epoch) + place_at_; }
    [[nodiscard]] std::byte* packet(std::uint64_t epoch) const noexcept { return base(epoch) + packet_at_; }
    [[nodiscard]] std::byte* part(std::uint64_t epoch, int rank) const noexcept {
        return base(epoch) + parts_at_ + static_cast<std::size_t>(rank) * part_bytes_;
    }
    /// [kMostSteps] one byte for each step of the plan; only if flagged.
    [[nodiscard]] std::atomic<std::uint8_t>* flags(std::uint64_t epoch) const noexcept;

    /// What a rank left to others.
    [[nodiscard]] LeftSteps& left_steps(std::uint64_t epoch, int rank) const noexcept;

    /// Ready for execution epoch + count. @threads the root, when all have left
    void recycle(std::uint64_t epoch) const noexcept;

private:
    [[nodiscard]] std::byte* base(std::uint64_t epoch) const noexcept {
        return memory_.data() + epoch % count_ * slot_bytes_;
    }

    std::uint64_t count_;
    int ranks_;
    bool flagged_;
    std::size_t part_bytes_;
    std::size_t place_at_;
    std::size_t packet_at_;
    std::size_t flags_at_;
    std::size_t left_steps_at_;
    std::size_t parts_at_;
    std::size_t slot_bytes_;
    SharedMemory memory_;
};

}  // namespace gimbal::mpi
