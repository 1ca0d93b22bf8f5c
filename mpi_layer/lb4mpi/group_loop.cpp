// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outer loop of two: a group's first rank draws chunks for its group.
#include <array>
#include <optional>

#include "lb4mpi/communicator_state.hpp"
#include "lb4mpi/open_loop.hpp"

namespace gimbal::lb4mpi {

namespace {

class GroupLoop final : public OpenLoop {
public:
    GroupLoop(MPI_Comm foremen, MPI_Comm group, const std::string& name, std::int64_t iterations,
              const mpi::LoopOptions& options)
        : group_(group) {
        if (foremen == MPI_COMM_NULL) return;
        loop_.emplace(foremen, name, iterations, options);
        serves_ = loop_->transport() != "shared";
    }

    // The wait answers other ranks' requests: the foreman may be busy with an inner loop that it serves.
    mpi::Chunk next() override {
        std::array<std::int64_t, 2> ends{};
        if (loop_) {
            const mpi::Chunk chunk = loop_->next();
            ends = {chunk.first, chunk.end};
        }
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

std::unique_ptr<OpenLoop> open_group_loop(MPI_Comm foremen, MPI_Comm group, const std::string& name,
                                          std::int64_t iterations, const mpi::LoopOptions& options) {
    return std::make_unique<GroupLoop>(foremen, group, name, iterations, options);
}

}  // namespace gimbal::lb4mpi
