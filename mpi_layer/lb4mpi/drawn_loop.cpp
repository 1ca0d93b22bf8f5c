// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose chunks this rank draws, or, as the outer loop of two, its group's first rank for all of the group.
#include <array>
#include <optional>

#include "lb4mpi/communicator_state.hpp"
#include "lb4mpi/open_loop.hpp"

namespace gimbal::lb4mpi {

namespace {

class DrawnLoop final : public OpenLoop {
public:
    DrawnLoop(MPI_Comm comm, MPI_Comm group, const std::string& name, std::int64_t iterations,
              const mpi::LoopOptions& options)
        : group_(group) {
        if (comm == MPI_COMM_NULL) return;
        loop_.emplace(comm, name, iterations, options);
        serves_ = loop_->transport() != "shared";
    }

    mpi::Chunk next() override {
        const mpi::Chunk chunk = loop_ ? loop_->next() : mpi::Chunk{};
        if (group_ == MPI_COMM_NULL) return chunk;
        // The wait answers other ranks' requests: the foreman may be busy with an inner loop that it serves.
        std::array<std::int64_t, 2> ends{chunk.first, chunk.end};
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Ibcast(ends.data(), 2, MPI_INT64_T, 0, group_, &request), "MPI_Ibcast");
        wait_for(request);
        return {ends[0], ends[1]};
    }

    void leave() override {
        if (loop_) loop_->leave();
    }

    bool serves() const noexcept override { return serves_; }

private:
    std::optional<mpi::Loop> loop_;
    MPI_Comm group_;
    bool serves_ = false;
};

}  // namespace

std::unique_ptr<OpenLoop> open_drawn_loop(MPI_Comm comm, MPI_Comm group, const std::string& name,
                                          std::int64_t iterations, const mpi::LoopOptions& options) {
    return std::make_unique<DrawnLoop>(comm, group, name, iterations, options);
}

}  // namespace gimbal::lb4mpi
