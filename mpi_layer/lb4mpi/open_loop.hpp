// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "gimbal/mpi/loop.hpp"

namespace gimbal::lb4mpi {

/// Where the chunks of one execution come from. Iterations count from 0 here.
class OpenLoop {
public:
    OpenLoop() = default;
    OpenLoop(const OpenLoop&) = delete;
    OpenLoop& operator=(const OpenLoop&) = delete;
    virtual ~OpenLoop() = default;

    /// The next chunk; what was drawn before has been run. Empty when nothing is left; not called again then.
    [[nodiscard]] virtual mpi::Chunk next() = 0;

    /// This rank draws no more. @errors gimbal::Error: wrong_use if it must not leave yet; mpi
    virtual void leave() = 0;

    /// Whether other ranks may wait for this process while it runs a chunk, so that chunks should be handed to the
    /// program in parts.
    [[nodiscard]] virtual bool serves() const noexcept = 0;
};

/// All ranks share the iterations, or groups do: then all ranks of a group get the same chunks.
/// @param comm   whose ranks draw chunks: all, or the groups' first ranks; MPI_COMM_NULL on the others
/// @param group  a communicator that the program's messages never meet; MPI_COMM_NULL: no groups
[[nodiscard]] std::unique_ptr<OpenLoop> open_drawn_loop(MPI_Comm comm, MPI_Comm group, const std::string& name,
                                                        std::int64_t iterations, const mpi::LoopOptions& options);

/// A rank's items, as DLS_DataSetup() got them.
struct Items {
    std::byte* data = nullptr;  ///< [max(1, count)] items
    std::int64_t count = 0;     ///< owned by this rank [items]
    std::size_t bytes = 0;      ///< of an item [bytes]
    bool write_back = false;    ///< what a chunk leaves in its items goes back to their owner
};

/// Ranks own the items and steal from each other. Chunks are indices of items.data, where stolen items lie while their
/// chunk runs.
[[nodiscard]] std::unique_ptr<OpenLoop> open_steal_loop(MPI_Comm comm, const std::string& name, const Items& items);

}  // namespace gimbal::lb4mpi
