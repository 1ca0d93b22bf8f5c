// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gimbal::mpi {

/// Which nodes have nothing left in any queue of an execution, as far as one node has heard: in memory that its ranks
/// share. Answers to thieves of other nodes say what it knows of 64 nodes, so what is known doubles with each round of
/// questions; without that every rank would have to ask every other one.
///
/// A word is the number of an execution, 32 bits of it, and a bit for each of 32 nodes. A newer execution takes it
/// over.
/// @threads any, one in each process
class EmptyNodes {
public:
    static constexpr int kGroup = 64;  // nodes

    /// @param words  [words_for(nodes)], 0 at first; outlives this
    explicit EmptyNodes(std::atomic<std::uint64_t>* words) : words_(words) {}
    [[nodiscard]] static std::size_t words_for(int nodes) noexcept {
        return static_cast<std::size_t>(groups(nodes)) * 2;
    }
    [[nodiscard]] static int groups(int nodes) noexcept { return (nodes + kGroup - 1) / kGroup; }

    [[nodiscard]] bool contains(std::uint64_t epoch, int node) const noexcept {
        return (of_group(epoch, node / kGroup) >> static_cast<unsigned>(node % kGroup) & 1U) != 0;
    }
    void add(std::uint64_t epoch, int node) noexcept {
        add_group(epoch, node / kGroup, std::uint64_t{1} << static_cast<unsigned>(node % kGroup));
    }
    /// A bit for each node of the group. @param group  [0, groups())
    [[nodiscard]] std::uint64_t of_group(std::uint64_t epoch, int group) const noexcept;
    void add_group(std::uint64_t epoch, int group, std::uint64_t nodes) noexcept;

private:
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "must work between processes");
    std::atomic<std::uint64_t>* words_;
};

}  // namespace gimbal::mpi
