// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "gimbal/mpi/loop.hpp"

namespace gimbal::test {

/// How often each iteration of one loop ran, on this rank and, when asked, on all.
/// @threads add() any
class Cover {
public:
    /// @param iterations  N >= 0
    explicit Cover(std::int64_t iterations);

    /// This rank runs a chunk. Chunks outside [0, N) are counted as wrong.
    void add(const mpi::Chunk& chunk) noexcept;

    /// Whether all ranks together ran every iteration exactly once. Collective over `comm`, the same answer on all of
    /// its ranks: success, or which iteration ran how often.
    [[nodiscard]] testing::AssertionResult exactly_once(MPI_Comm comm) const;
    /// The same for "at least once": what chunks that are run again promise.
    [[nodiscard]] testing::AssertionResult at_least_once(MPI_Comm comm) const;
    /// The same for "at most once": what a loop promises that all ranks may leave.
    [[nodiscard]] testing::AssertionResult at_most_once(MPI_Comm comm) const;

    /// N [iterations].
    [[nodiscard]] std::int64_t iterations() const noexcept { return iterations_; }
    /// Iterations that this rank ran [iterations].
    [[nodiscard]] std::int64_t here() const noexcept { return here_.load(); }

private:
    [[nodiscard]] testing::AssertionResult covered(MPI_Comm comm, int least, int most) const;

    std::int64_t iterations_;
    std::unique_ptr<std::atomic<int>[]> counts_;  // [iterations_]
    std::atomic<std::int64_t> here_ = 0;
    std::atomic<int> wrong_ = 0;
};

}  // namespace gimbal::test
