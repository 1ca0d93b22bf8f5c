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

    /// This rank comes to a collective call: the number of the call. The kCallsBefore-th one is where the ranks agree
    /// on a place for their arrivals, by collective calls of their own: a communicator that lives shorter is not worth
    /// it.
    /// @threads one at a time, as MPI has it
    std::uint64_t come(std::uint64_t stamp_ns) noexcept;
    /// Agree on that place now. Collective.
    void agree() noexcept;

    /// Ranks on this node, by their slots, in the order of their ranks here. Empty: this is an intercommunicator, or
    /// they are not known (yet).
    [[nodiscard]] const std::vector<std::int16_t>& members() const noexcept { return members_; }
    /// Slot of a rank. @return < 0: it is on another node, or not known  @threads any
    [[nodiscard]] int slot_of(int rank) const noexcept {
        return rank >= 0 && static_cast<std::size_t>(rank) < slots_.size() ? slots_[static_cast<std::size_t>(rank)]
                                                                           : -1;
    }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] bool alone() const noexcept { return size_ == 1; }
    /// All ranks are on this node.
    [[nodiscard]] bool on_one_node() const noexcept { return static_cast<int>(members_.size()) == size_; }

    /// Whether arrivals are known at all. @threads the one in the collective call
    [[nodiscard]] bool has_arrivals() const noexcept { return arrivals_ != nullptr; }
    [[nodiscard]] Arrival& arrival(int slot) noexcept { return arrivals_->of(slot); }

private:
    static constexpr std::uint64_t kCallsBefore = 8;

    void look_up_slots() noexcept;
    [[nodiscard]] bool is_of_one_world() const noexcept;

    MPI_Comm comm_;
    int rank_ = 0, size_ = 1;
    bool inter_ = false;
    std::uint64_t calls_ = 0;
    std::vector<std::int16_t> slots_;    // [size] < 0: on another node
    std::vector<std::int16_t> members_;  // the others left out
    CommArrivals* arrivals_ = nullptr;
};

}  // namespace gimbal::waiting
