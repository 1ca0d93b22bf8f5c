// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace gimbal::mpi {

class Team;

/// Memory that the ranks of one node share, in few windows: MPI takes long to make one, above all where ranks share
/// processors. What is not used of a window takes no memory.
class NodeMemory {
public:
    NodeMemory() = default;
    /// Collective over the node, if anything was taken. MPI must still run.
    ~NodeMemory() { free(); }
    NodeMemory(const NodeMemory&) = delete;
    NodeMemory& operator=(const NodeMemory&) = delete;

    /// The same bytes in each rank, 128-byte aligned, with anything in them; until free(). Collective over the node,
    /// and all ranks take the same in the same order. @errors gimbal::Error(mpi)
    [[nodiscard]] std::byte* take(MPI_Comm node, std::size_t bytes);
    void free() noexcept;

private:
    struct Window {
        MPI_Win window = MPI_WIN_NULL;
        std::byte* next = nullptr;
        std::size_t left = 0;
    };
    void add(MPI_Comm node, std::size_t bytes);

    std::vector<Window> windows_;
};

/// A part of the team's memory, as Team::take_node_memory(), with zeros in it. Collective over the team.
/// @errors gimbal::Error(mpi)  @threads atomics on it work between processes
[[nodiscard]] std::byte* zeroed_node_memory(Team& team, std::size_t bytes);

}  // namespace gimbal::mpi
