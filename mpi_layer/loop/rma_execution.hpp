// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "loop/rma.hpp"

namespace gimbal::mpi {

/// One execution whose counter is in the window of rank 0.
class RmaExecution final : public RankExecution {
public:
    /// @param object  that is laid out
    RmaExecution(RmaTransport& transport, std::uint64_t epoch, void* object);
    bool next(std::uint64_t& first, std::uint64_t& end) override;
    void leave(Leaving how) override;

private:
    bool next_step(std::uint64_t& first, std::uint64_t& end);
    bool next_position(std::uint64_t& first, std::uint64_t& end);
    bool next_left(std::uint64_t& first, std::uint64_t& end);
    bool run(std::uint64_t step, std::uint64_t& first, std::uint64_t& end);

    RmaTransport& transport_;
    std::uint64_t epoch_;
    void* object_;
    std::uint64_t begin_;               // [ticks]
    std::uint64_t trip_;                // N [iterations]
    bool by_steps_;                     // the counter counts steps, else iterations
    std::uint64_t* counter_ = nullptr;  // where the core looks for it; nullptr: nothing is shared, or no more
    std::uint64_t before_ = 0;          // steps that belong to ranks
    bool told_ = false;                 // that the ranks do not agree
};

}  // namespace gimbal::mpi
