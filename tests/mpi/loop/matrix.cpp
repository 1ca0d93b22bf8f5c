// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every schedule that ranks take, every size.
#include "loop/matrix.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace gimbal::test {
namespace {

// What ranks must be able to run: LB4MPI's, and what Gimbal adds to them.
constexpr std::array kPromised{"static", "ss",  "fsc",   "mfsc",  "gss",   "tss",   "fac", "fac2",     "tfss",
                               "wf2",    "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af",  "feedback", "runtime"};

using Schedules = OverRanks;

bool promised(const std::string& name) {
    return std::find(kPromised.begin(), kPromised.end(), name) != kPromised.end();
}

// Each schedule makes its own queues, which is collective and so slow where ranks share cores: beyond two ranks only
// what is promised, and an agent.
std::vector<std::string> names_for(int ranks) {
    std::vector<std::string> names = schedule_names();
    if (ranks > 2) std::erase_if(names, [](const std::string& name) { return !promised(name) && name != "sarsa"; });
    return names;
}

TEST_F(Schedules, EachRunsEveryIterationExactlyOnce) {
    std::string refused;
    for (const std::string& name : names_for(size_)) {
        SCOPED_TRACE(name);
        std::vector<std::unique_ptr<Cover>> covers;
        try {
            // Twice: techniques that learn run from what the first time showed.
            for (int round = 0; round < 2; ++round) {
                for (const auto n : extents(size_)) {
                    covers.push_back(std::make_unique<Cover>(n));
                    run_loop(MPI_COMM_WORLD, "all", *covers.back(), {.schedule = name});
                }
            }
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_option) << error.what();
            EXPECT_FALSE(promised(name)) << error.what();
            refused += ' ' + name;
        }
        for (const auto& cover : covers) EXPECT_TRUE(cover->exactly_once(MPI_COMM_WORLD)) << cover->iterations();
    }
    if (!refused.empty() && rank_ == 0) std::printf("[not for ranks:%s] ", refused.c_str());
}

TEST_F(OverRanks, ALongLoopOf64BitNumbersIsCoveredWithoutGaps) {
    const std::int64_t n = (std::int64_t{1} << 40) + 12345;
    mpi::Loop loop(MPI_COMM_WORLD, "long", n, {.schedule = "gss"});
    std::int64_t mine = 0;
    for (const auto chunk : loop) mine += chunk.size();
    std::int64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all, n);
}

}  // namespace
}  // namespace gimbal::test
