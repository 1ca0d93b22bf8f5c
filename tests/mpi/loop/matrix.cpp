// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every schedule that ranks take, every size.
#include "loop/matrix.hpp"

#include <array>

namespace gimbal::test {
namespace {

// What ranks must be able to run: LB4MPI's, and what Gimbal adds to them.
constexpr std::array kPromised{"static", "ss",  "fsc",   "mfsc",  "gss",   "tss",   "fac", "fac2",     "tfss",
                               "wf2",    "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af",  "feedback", "runtime"};

class Schedules : public OverRanks, public testing::WithParamInterface<std::string> {};

bool promised(const std::string& name) {
    for (const char* const one : kPromised)
        if (name == one) return true;
    return false;
}

TEST_P(Schedules, EveryIterationRunsExactlyOnce) {
    std::vector<std::unique_ptr<Cover>> covers;
    try {
        // Twice: techniques that learn run from what the first time showed.
        for (int round = 0; round < 2; ++round) {
            for (const auto n : extents(size_)) {
                covers.push_back(std::make_unique<Cover>(n));
                run_loop(MPI_COMM_WORLD, "all", *covers.back(), {.schedule = GetParam()});
            }
        }
    } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::invalid_option) << error.what();
        ASSERT_FALSE(promised(GetParam())) << error.what();
        GTEST_SKIP() << GetParam() << " is not for ranks: " << error.what();
    }
    for (const auto& cover : covers) EXPECT_TRUE(cover->exactly_once(MPI_COMM_WORLD)) << cover->iterations();
}

std::string name_of(const testing::TestParamInfo<std::string>& schedule) {
    std::string name = schedule.param;
    for (char& c : name)
        if (c == '-' || c == ',') c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, Schedules, testing::ValuesIn(schedule_names()), name_of);

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
