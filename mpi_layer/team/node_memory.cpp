// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/node_memory.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "team/errors.hpp"
#include "team/meeting.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kAlignment = 128;  // two cache lines: neighbours are fetched in pairs
// Open MPI looks whether there is room for all of a window, used or not: where /dev/shm has 64 MiB, as in a container,
// windows that grew had none.
constexpr std::size_t kWindow = std::size_t{8} << 20U;
constexpr std::size_t kMargin = std::size_t{2} << 20U;  // for what MPI adds, and for what others take meanwhile

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::size_t window_bytes(std::size_t bytes, std::uint64_t room) noexcept {
    const std::size_t usual = std::max(bytes, kWindow);
    if (room >= usual + kMargin) return usual;
    return room >= bytes + kMargin ? bytes : 0;
}

std::uint64_t room_for_windows() noexcept {
#if !defined(GIMBAL_SIMULATED_RANKS)  // whose windows are memory of one process
    struct statvfs found {};
    if (access("/dev/shm", W_OK) == 0 && statvfs("/dev/shm", &found) == 0)
        return std::uint64_t{found.f_bavail} * found.f_frsize;
#endif
    return UINT64_MAX;
}

bool NodeMemory::fits(std::size_t bytes) const noexcept {
    return !windows_.empty() && windows_.back().left >= bytes;
}

std::byte* NodeMemory::take(MPI_Comm team, MPI_Comm node, bool several, std::size_t bytes) {
    bytes = rounded(bytes);
    // Ranks of one node need a new window all or none; nodes of unlike size do not.
    if (several || !fits(bytes)) require_room(team, node, bytes);
    if (!fits(bytes)) add(node, bytes);
    Window& window = windows_.back();
    std::byte* const taken = window.next;
    window.next += bytes;
    window.left -= bytes;
    return taken;
}

// Before the call within which other ranks would wait.
void NodeMemory::require_room(MPI_Comm team, MPI_Comm node, std::size_t bytes) const {
    int rank = 0;
    int ranks = 0;
    check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
    // One rank alone shares nothing.
    int enough = rank != 0 || ranks == 1 || fits(bytes) || window_bytes(bytes, room_()) > 0 ? 1 : 0;
    check(MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, team), "MPI_Allreduce");
    if (enough) return;
    throw NoNodeMemory(ErrorCode::unsupported,
                       "a node has no room for " + std::to_string((bytes + kMargin) >> 20U) +
                           " MiB that its ranks would share in /dev/shm",
                       "make it larger (docker run --shm-size 1g), or GIMBAL_MPI_TRANSPORT=foreman for loops");
}

void NodeMemory::add(MPI_Comm node, std::size_t bytes) {
    int rank = 0;
    check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    std::uint64_t size = rank == 0 ? std::max(window_bytes(bytes, room_()), bytes) : 0;
    check(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, node), "MPI_Bcast");
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
