// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lb4mpi/open_loop.hpp"

namespace gimbal::lb4mpi {

namespace {

class PlainLoop final : public OpenLoop {
public:
    PlainLoop(MPI_Comm comm, const std::string& name, std::int64_t iterations, const mpi::LoopOptions& options)
        : loop_(comm, name, iterations, options), serves_(loop_.transport() != "shared") {}

    mpi::Chunk next() override { return loop_.next(); }
    void leave() override { loop_.leave(); }
    bool serves() const noexcept override { return serves_; }

private:
    mpi::Loop loop_;
    bool serves_;
};

}  // namespace

std::unique_ptr<OpenLoop> open_plain_loop(MPI_Comm comm, const std::string& name, std::int64_t iterations,
                                          const mpi::LoopOptions& options) {
    return std::make_unique<PlainLoop>(comm, name, iterations, options);
}

}  // namespace gimbal::lb4mpi
