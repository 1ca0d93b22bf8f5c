// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gimbal/error.hpp"

namespace gimbal::mpi {

class Team;

/// A node of the team has no room left for what its ranks would share. Thrown on all ranks of the team alike.
struct NoNodeMemory : Error {
    using Error::Error;
};

/// How large a window is to be.
/// @param bytes  that must fit into it  @param room  where it will lie [bytes]  @return 0: there is too little room
[[nodiscard]] std::size_t window_bytes(std::size_t bytes, std::uint64_t room) noexcept;

/// Where MPI's shared windows lie, how much room there is. Open MPI asks so, too, but one rank alone: that one gets an
/// error, and the others wait within MPI for ever.
/// @return [bytes]; UINT64_MAX: not known  @cost a system call
[[nodiscard]] std::uint64_t room_for_windows() noexcept;

/// Memory that the ranks of one node share, in few windows: MPI takes long to make one, above all where ranks share
/// processors. What is not used of a window takes no memory.
class NodeMemory {
public:
    /// @param room  for another room than room_for_windows()
    explicit NodeMemory(std::uint64_t (*room)() noexcept = room_for_windows) : room_(room) {}
    /// Collective over the node, if anything was taken. MPI must still run.
    ~NodeMemory() { free(); }
    NodeMemory(const NodeMemory&) = delete;
    NodeMemory& operator=(const NodeMemory&) = delete;

    /// The same bytes in each rank, 128-byte aligned, with anything in them; until free(). Collective over the team:
    /// ranks of a node take the same, and all in the same order.
    /// @param several  whether the team has several nodes
    /// @errors NoNodeMemory, and nothing has changed; gimbal::Error(mpi)
    [[nodiscard]] std::byte* take(MPI_Comm team, MPI_Comm node, bool several, std::size_t bytes);
    void free() noexcept;

private:
    struct Window {
        MPI_Win window = MPI_WIN_NULL;
        std::byte* next = nullptr;
        std::size_t left = 0;
    };
    void add(MPI_Comm node, std::size_t bytes);
    [[nodiscard]] bool fits(std::size_t bytes) const noexcept;
    void require_room(MPI_Comm team, MPI_Comm node, std::size_t bytes) const;

    std::uint64_t (*room_)() noexcept;
    std::vector<Window> windows_;
};

/// A part of the team's memory, as Team::take_node_memory(), with zeros in it. Collective over the team.
/// @errors gimbal::Error(mpi)  @threads atomics on it work between processes
[[nodiscard]] std::byte* zeroed_node_memory(Team& team, std::size_t bytes);

}  // namespace gimbal::mpi
