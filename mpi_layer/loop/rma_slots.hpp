// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace gimbal::mpi {

/// Names the packet by which an execution runs: one word, so that it is read at once. 0: none.
struct PacketName {
    std::uint64_t epoch = 0;  ///< of the first execution that has it, plus 1
    std::size_t bytes = 0;
    bool announced = false;  ///< by rank 0, for the N it expects; else made by who came first
    bool as_before = false;  ///< that one repeats the execution before: rank 0 had not announced anything

    [[nodiscard]] std::uint64_t word() const noexcept {
        return epoch << (kBits + 2) | (announced ? 2U : 0U) << kBits | (as_before ? 1U : 0U) << kBits | bytes;
    }
    [[nodiscard]] static PacketName of(std::uint64_t word) noexcept {
        return {word >> (kBits + 2), static_cast<std::size_t>(word & ((std::uint64_t{1} << kBits) - 1)),
                (word >> (kBits + 1) & 1) != 0, (word >> kBits & 1) != 0};
    }
    [[nodiscard]] bool none() const noexcept { return epoch == 0; }
    bool operator==(const PacketName&) const = default;

private:
    static constexpr unsigned kBits = 20;
};

/// What a rank leaves behind.
struct RmaReport {
    std::uint64_t stayed_ns = 0;
    std::uint64_t chunks = 0;
    std::uint64_t iterations = 0;
    /// Steps that were this rank's and that it has not run: next, next + stride, ... below end. Others may take them.
    std::uint64_t next = 0;
    std::uint64_t stride = 1;
    std::uint64_t end = 0;
    std::uint64_t left = 0;  ///< the last execution in this slot that the rank has left, plus 1
};

/// Where things are in the window of a loop [bytes]: execution e is in slot e mod count.
class RmaSlots {
public:
    static constexpr std::uint64_t kCount = 16;  ///< executions in flight: how far a rank may be ahead of another
    /// A packet is N, one word, and what gimbal_rank_packet() writes.
    static constexpr std::size_t kPacketBytes = std::size_t{1} << 16U;
    /// other(): arguments that cannot be.
    static constexpr std::uint64_t kWrongArguments = UINT64_MAX;

    explicit RmaSlots(int ranks) noexcept
        : packets_at_((kReportsAt + static_cast<std::size_t>(ranks) * sizeof(RmaReport) + kLine - 1) / kLine * kLine) {}

    [[nodiscard]] std::size_t bytes() const noexcept { return kCount * slot_bytes(); }
    /// Of every slot: what must be 0 at first. Packets are written before they are read, and take no memory until then.
    [[nodiscard]] std::size_t zeroed_bytes() const noexcept { return packets_at_; }
    [[nodiscard]] std::size_t slot_bytes() const noexcept {
        return (packets_at_ + 2 * kPacketRoom + kLine - 1) / kLine * kLine;
    }

    /// Which execution the slot is ready for.
    [[nodiscard]] std::size_t epoch(std::uint64_t e) const noexcept { return at(e, 0); }
    /// Packet that rank 0 has announced, for who comes first.
    [[nodiscard]] std::size_t ahead(std::uint64_t e) const noexcept { return at(e, kWord); }
    /// Packet in force.
    [[nodiscard]] std::size_t ruling(std::uint64_t e) const noexcept { return at(e, 2 * kWord); }
    /// Ranks that do not agree with the packet in force.
    [[nodiscard]] std::size_t failed(std::uint64_t e) const noexcept { return at(e, 3 * kWord); }
    /// What the first of them said: its N + 1, or kWrongArguments; 0: all agree. It is there before the counter is
    /// beyond the end.
    [[nodiscard]] std::size_t other(std::uint64_t e) const noexcept { return at(e, 4 * kWord); }
    /// Ranks that left before they had run the steps that were theirs.
    [[nodiscard]] std::size_t abandoned(std::uint64_t e) const noexcept { return at(e, 5 * kWord); }
    /// Steps, or iterations, that are handed out.
    [[nodiscard]] std::size_t counter(std::uint64_t e) const noexcept { return at(e, kLine); }
    /// Ranks that have come.
    [[nodiscard]] std::size_t entered(std::uint64_t e) const noexcept { return at(e, 2 * kLine); }
    /// Ranks that have left.
    [[nodiscard]] std::size_t left(std::uint64_t e) const noexcept { return at(e, 3 * kLine); }
    /// RmaReport of a rank that has left.
    [[nodiscard]] std::size_t report(std::uint64_t e, int rank) const noexcept {
        return at(e, kReportsAt + static_cast<std::size_t>(rank) * sizeof(RmaReport));
    }
    /// The announced packet, or the one that who came first made.
    [[nodiscard]] std::size_t packet(std::uint64_t e, bool announced) const noexcept {
        return at(e, packets_at_ + (announced ? 0 : kPacketRoom));
    }

private:
    static constexpr std::size_t kWord = sizeof(std::uint64_t);
    static constexpr std::size_t kLine = 128;
    static constexpr std::size_t kReportsAt = 4 * kLine;
    static constexpr std::size_t kPacketRoom = kWord + kPacketBytes;

    [[nodiscard]] std::size_t at(std::uint64_t e, std::size_t offset) const noexcept {
        return static_cast<std::size_t>(e % kCount) * slot_bytes() + offset;
    }

    std::size_t packets_at_;
};

}  // namespace gimbal::mpi
