// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "gimbal/rank_loop.h"
#include "loop/in_flight.hpp"
#include "loop/rma_packets.hpp"
#include "loop/rma_slots.hpp"
#include "loop/rma_window.hpp"
#include "loop/transport.hpp"

namespace gimbal::mpi {

/// Ranks draw from a counter in the memory of rank 0 by one-sided operations: rank 0 need not answer, where its MPI
/// serves them while it computes (rma_probe.hpp). Without that it is correct, and slow.
class RmaTransport final : public Transport {
public:
    /// Collective. @param draw_s  what an operation takes while rank 0 computes, > 0 [s]
    RmaTransport(Team& team, const std::string& name, double draw_s);
    ~RmaTransport() override;

    [[nodiscard]] std::unique_ptr<RankExecution> enter(const Request& request) override;
    void refuse() override;
    [[nodiscard]] std::string_view name() const noexcept override { return "rma"; }
    /// Where nothing else serves the operations of others, a call of MPI does.
    void poll() override;

    /// Move the counter of an execution on. @return where it was
    [[nodiscard]] std::uint64_t claim(std::uint64_t epoch, std::uint64_t count);
    /// Where that counter is.
    [[nodiscard]] std::uint64_t position(std::uint64_t epoch);
    /// Status to read once the counter is exhausted.
    struct Outcome {
        std::uint64_t other = 0;      ///< RmaSlots::other()
        std::uint64_t abandoned = 0;  ///< RmaSlots::abandoned()
    };
    [[nodiscard]] Outcome outcome(std::uint64_t epoch);
    /// A step that a rank left behind. @param step  out  @return false: there is none
    [[nodiscard]] bool take_abandoned(std::uint64_t epoch, std::uint64_t& step);

    /// This rank has left an execution; its object goes back. @param stayed  [ticks]  @return RmaSlots::other()
    std::uint64_t left(std::uint64_t epoch, void* object, gimbal_share& share, std::uint64_t stayed);

    [[nodiscard]] int rank() const noexcept { return team_.rank(); }

private:
    [[nodiscard]] bool is_root() const noexcept { return team_.rank() == 0; }
    [[nodiscard]] std::uint64_t begin(const Request& request);
    void await_slot(std::uint64_t epoch);
    void say_for_whom(std::uint64_t epoch);
    void decide(std::uint64_t epoch, const Request& request);
    [[nodiscard]] PacketName agree(std::uint64_t epoch, std::uint64_t trip);
    [[nodiscard]] PacketName rule(std::uint64_t epoch, std::uint64_t trip);
    [[nodiscard]] PacketName await_announced(std::uint64_t epoch);
    void spoil(std::uint64_t epoch, std::uint64_t other);
    [[nodiscard]] std::byte* place(std::uint64_t epoch) noexcept;
    void begin_others(std::uint64_t epoch);
    void abandon(std::uint64_t epoch, const gimbal_share& share);
    void harvest();
    void learn(Pending& entry);
    void recycle(std::uint64_t epoch);

    Team& team_;
    std::string name_;
    void* site_;  // of rank 0; nullptr elsewhere
    RmaSlots slots_;
    RmaWindow window_;
    RmaPackets packets_;
    double patience_;          // for rank 0's decision [ticks]
    std::uint64_t epoch_ = 0;  // of the next execution
    InFlight in_flight_;
    std::uint64_t recycled_ = 0;  // rank 0: executions whose slots have been made ready again
    std::vector<std::byte> own_;  // where the core counts, one place for each slot
};

/// @param other  RmaSlots::other()  @errors gimbal::Error(wrong_use), always
[[noreturn]] void throw_rma_disagreement(std::uint64_t mine, std::uint64_t other);

}  // namespace gimbal::mpi
