// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose chunks may run twice; they do where GIMBAL_MPI_ROBUST is on.
#include <unistd.h>

#include "loop/matrix.hpp"

namespace gimbal::test {
namespace {

using Robust = OverRanks;

/// As drain(), but only chunks that this rank is the first to finish count.
void drain_idempotent(mpi::Loop& loop, Cover& cover, unsigned longest_us) {
    unsigned random = 1;
    while (const auto chunk = loop.next()) {
        random = random * 1664525 + 1013904223;
        usleep((random >> 16U) % (longest_us + 1));
        if (loop.finish(chunk)) cover.add(chunk);
    }
}

TEST_F(Robust, OneRankIsTheFirstToFinishAnIteration) {
    for (const std::string schedule : {"feedback", "runtime", "static", "lws,0.5:40", "awf-b"}) {
        std::vector<std::unique_ptr<Cover>> covers;
        for (int i = 0; i < 10; ++i) {
            covers.push_back(std::make_unique<Cover>(1000));
            mpi::Loop loop(MPI_COMM_WORLD, "first " + schedule, 1000, {.schedule = schedule, .idempotent = true});
            drain_idempotent(loop, *covers.back(), 300);
        }
        for (const auto& cover : covers) EXPECT_TRUE(cover->exactly_once(MPI_COMM_WORLD)) << schedule;
    }
}

}  // namespace
}  // namespace gimbal::test
