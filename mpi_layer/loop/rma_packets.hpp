// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "loop/rma_slots.hpp"
#include "loop/rma_window.hpp"

namespace gimbal::mpi {

/// How executions run, as ranks tell each other through the window. Every rank takes plan and N from the packet in
/// force; none plans for itself, since two kinds of processors could round differently.
/// @threads one  @errors gimbal::Error(mpi)
class RmaPackets {
public:
    RmaPackets(RmaWindow& window, const RmaSlots& slots);
    ~RmaPackets();
    RmaPackets(const RmaPackets&) = delete;
    RmaPackets& operator=(const RmaPackets&) = delete;

    /// Rank 0: what it has decided for an execution whose slot is ready. @param decided  by gimbal_rank_decide()
    void announce(std::uint64_t epoch, void* decided, std::uint64_t trip);

    /// Go by this packet. @param epoch  of the execution whose slot it is in
    void take(std::uint64_t epoch, const PacketName& name);
    /// N of the packet taken last [iterations].
    [[nodiscard]] std::uint64_t trip() const noexcept;
    /// Make an object ready to be drawn from as the packet says. @param place  for gimbal_rank_prepare()
    void lay_out(void* object, void* place) const;

    /// Put the packet taken last, with another N, into the slot, and go by that.
    /// @param as_before  it is of the execution before
    [[nodiscard]] PacketName make(std::uint64_t epoch, std::uint64_t trip, bool as_before);

private:
    using Packet = std::vector<std::byte>;

    void write(Packet& packet, std::size_t& bytes, void* execution, std::uint64_t trip) const;
    void adopt(const PacketName& name, bool own);
    [[nodiscard]] static const std::byte* body(const Packet& packet) noexcept;

    RmaWindow& window_;
    const RmaSlots& slots_;
    Packet announced_;  // rank 0: the last one, by name
    PacketName announced_name_;
    std::array<PacketName, RmaSlots::kCount> in_slot_{};  // rank 0: which announced packet each slot has
    Packet taken_;
    PacketName taken_name_;
    bool own_ = false;  // this process has made it
    void* model_;       // an execution object that runs so
};

}  // namespace gimbal::mpi
