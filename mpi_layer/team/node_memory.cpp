// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/node_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "team/errors.hpp"
#include "team/meeting.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kAlignment = 128;  // two cache lines: neighbours are fetched in pairs
constexpr std::size_t kFirstWindow = std::size_t{8} << 20U;
constexpr std::size_t kLargestWindow = std::size_t{64} << 20U;

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::byte* NodeMemory::take(MPI_Comm node, std::size_t bytes) {
    bytes = rounded(bytes);
    if (windows_.empty() || windows_.back().left < bytes) add(node, bytes);
    Window& window = windows_.back();
    std::byte* const taken = window.next;
    window.next += bytes;
    window.left -= bytes;
    return taken;
}

// Each is larger than the one before.
void NodeMemory::add(MPI_Comm node, std::size_t bytes) {
    const std::size_t usual = std::min(kFirstWindow << windows_.size(), kLargestWindow);
    const std::size_t size = std::max(bytes, usual);
    int rank = 0;
    check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    // The whole of it belongs to the first rank; where it lies in a page is the same for all.
    const MPI_Aint own = rank == 0 ? static_cast<MPI_Aint>(size + kAlignment) : 0;
    void* base = nullptr;
    Window made;
    check(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, node, &base, &made.window), "MPI_Win_allocate_shared");
    MPI_Aint found = 0;
    int unit = 0;
    check(MPI_Win_shared_query(made.window, 0, &found, &unit, &base), "MPI_Win_shared_query");
    const auto address = rounded(reinterpret_cast<std::uintptr_t>(base));
    made.next = reinterpret_cast<std::byte*>(address);
    made.left = size;
    windows_.push_back(made);
}

void NodeMemory::free() noexcept {
    for (; !windows_.empty(); windows_.pop_back()) MPI_Win_free(&windows_.back().window);
}

std::byte* zeroed_node_memory(Team& team, std::size_t bytes) {
    std::byte* const memory = team.take_node_memory(bytes);
    if (team.node_rank() == 0) std::memset(memory, 0, bytes);
    await_all(team.node_comm());
    return memory;
}

}  // namespace gimbal::mpi
