// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/cover.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "support/yielding.hpp"

namespace gimbal::test {

Cover::Cover(std::int64_t iterations)
    : iterations_(iterations),
      counts_(std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(iterations) + 1)) {}

void Cover::add(const mpi::Chunk& chunk) noexcept {
    if (chunk.first < 0 || chunk.end <= chunk.first || chunk.end > iterations_) {
        wrong_.fetch_add(1);
        return;
    }
    for (auto i = chunk.first; i < chunk.end; ++i)
        counts_[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
    here_.fetch_add(chunk.size());
}

testing::AssertionResult Cover::covered(MPI_Comm comm, int least, int most) const {
    const auto n = static_cast<std::size_t>(iterations_);
    std::vector<int> counts(n + 1);
    for (std::size_t i = 0; i < n; ++i) counts[i] = counts_[i].load(std::memory_order_relaxed);
    counts[n] = wrong_.load();
    sum_over_ranks(counts, comm);
    if (counts[n] != 0) return testing::AssertionFailure() << counts[n] << " chunks outside [0, " << n << ")";
    std::size_t bad = 0, first = n;
    for (std::size_t i = 0; i < n; ++i) {
        if (counts[i] >= least && counts[i] <= most) continue;
        ++bad;
        first = std::min(first, i);
    }
    if (bad == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << bad << " of " << n << " iterations are wrong; iteration " << first << " ran "
                                       << counts[first] << " times";
}

testing::AssertionResult Cover::exactly_once(MPI_Comm comm) const {
    return covered(comm, 1, 1);
}

testing::AssertionResult Cover::at_least_once(MPI_Comm comm) const {
    return covered(comm, 1, std::numeric_limits<int>::max());
}

testing::AssertionResult Cover::at_most_once(MPI_Comm comm) const {
    return covered(comm, 0, 1);
}

}  // namespace gimbal::test
