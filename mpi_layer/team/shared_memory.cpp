// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <cstring>

#include "team/check.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kAlignment = 128;  // two cache lines: neighbours are fetched in pairs

std::byte* aligned(void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    return reinterpret_cast<std::byte*>((address + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

SharedMemory::SharedMemory(MPI_Comm node, std::size_t bytes, Fill fill) {
    int rank = 0;
    check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    // The whole of it belongs to the first rank; where it lies in a page is the same for all.
    const MPI_Aint own = rank == 0 ? static_cast<MPI_Aint>(bytes + kAlignment) : 0;
    void* base = nullptr;
    check(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, node, &base, &window_), "MPI_Win_allocate_shared");
    MPI_Aint size = 0;
    int unit = 0;
    check(MPI_Win_shared_query(window_, 0, &size, &unit, &base), "MPI_Win_shared_query");
    data_ = aligned(base);
    if (rank == 0 && fill == Fill::zero) std::memset(base, 0, bytes + kAlignment);
    check(MPI_Barrier(node), "MPI_Barrier");
}

SharedMemory::~SharedMemory() {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
}

}  // namespace gimbal::mpi
