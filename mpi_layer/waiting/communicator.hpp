// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "calls.hpp"
#include "node.hpp"

namespace gimbal::waiting {

/// What this rank knows of a communicator of the program. Kept as an attribute of it, and goes with it.
class Communicator {
public:
    /// Found, or made when it is first seen. Local. @return nullptr: MPI refuses, or there is no memory
    /// @threads any  @cost 3 ns for the communicator that the thread used last
    static Communicator* of(MPI_Comm comm) noexcept;
    /// Before the first of(). @return false: MPI refuses
    static bool begin() noexcept;

    explicit Communicator(MPI_Comm comm) noexcept;
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    /// This rank comes to a collective call: the number of the call. At the kCallsBefore-th one it looks for the place
    /// of the arrivals: a communicator that lives shorter is not worth it. Asks no other rank for anything.
    /// @threads one at a time, as MPI has it
    std::uint64_t come(std::uint64_t stamp_ns) noexcept;
    /// This is MPI_COMM_WORLD, whose arrivals are known from the first call on. @threads one
    void be_world() noexcept;
    /// This was made by that call on that communicator: how ranks find the same place without a word. What no call says
    /// so of has no arrivals. @param number  of the call  @threads one, before come()
    void come_from(const Communicator& parent, CallId call, std::uint64_t number) noexcept;

    /// Ranks on this node, by their slots, in the order of their ranks here. Empty: this is an intercommunicator, or
    /// they are not known (yet).
    [[nodiscard]] const std::vector<std::int16_t>& members() const noexcept { return members_; }
    /// Slot of a rank. @return < 0: it is on another node, or not known  @threads any
    [[nodiscard]] int slot_of(int rank) const noexcept {
        return rank >= 0 && static_cast<std::size_t>(rank) < slots_.size() ? slots_[static_cast<std::size_t>(rank)]
                                                                           : -1;
    }
    /// Whether messages can go there. @threads any
    [[nodiscard]] bool has_rank(int rank) const noexcept { return rank >= 0 && rank < partners_; }
    [[nodiscard]] bool is_inter() const noexcept { return inter_; }
    /// Nobody else is in it: a rank alone in its group of an intercommunicator waits for the other group.
    [[nodiscard]] bool alone() const noexcept { return size_ == 1 && !inter_; }
    /// All ranks are on this node.
    [[nodiscard]] bool on_one_node() const noexcept { return static_cast<int>(members_.size()) == size_; }

    /// Whether arrivals are known at all: all ranks of the node have found the place. @threads the one in the
    /// collective call
    [[nodiscard]] bool has_arrivals() const noexcept {
        // Sequentially consistent, after this rank's own arrival: who finds all there finds that, too.
        return arrivals_ && arrivals_->attached.load(std::memory_order_seq_cst) == members_.size() &&
               arrivals_->ended.load(std::memory_order_seq_cst) == 0;
    }
    /// A collective call of this rank has failed: others may not have made it, so that the numbers of calls mean
    /// nothing any more. For all ranks, also those asleep, and for communicators that this one makes.
    /// @threads the one in the collective call
    void end_arrivals() noexcept;
    [[nodiscard]] Arrival& arrival(int slot) noexcept { return arrivals_->of(slot); }

private:
    static constexpr std::uint64_t kCallsBefore = 8;

    void look_up_slots(MPI_Comm comm) noexcept;
    void attach() noexcept;

    int size_ = 1, partners_ = 1;  // an intercommunicator's partners are the other group
    int first_ = -1;               // of its ranks, in MPI_COMM_WORLD
    bool inter_ = false;
    std::uint64_t id_ = 0;  // the same on all ranks, and no other communicator's; 0: not known
    std::uint64_t calls_ = 0;
    std::vector<std::int16_t> slots_;    // [size] < 0: on another node
    std::vector<std::int16_t> members_;  // the others left out
    CommArrivals* arrivals_ = nullptr;
};

}  // namespace gimbal::waiting
