// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rehearsal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "gimbal/loop.h"
#include "gimbal/options.hpp"
#include "gimbal/rank_waiting.h"
#include "loop/left_loop.hpp"
#include "loop/site_table.hpp"
#include "team.hpp"

namespace {

/// Pages of memory that this thread touched for the first time while something ran. The background thread touches
/// others.
template <class Something>
long first_touches(Something something) {
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    something();
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_minflt - before.ru_minflt;
}

/// The same for a first loop in a process of its own.
int first_touches_of_a_loop(bool rehearsed) {
    const pid_t child = fork();
    if (child == 0) {
        if (rehearsed) gimbal::rehearse_once();
        gimbal_loop_desc desc = gimbal::test::loop_desc(0x1000, 64, 2, 0);
        desc.can_leave = 1;
        _exit(static_cast<int>(std::min(first_touches([&] { gimbal_loop_drop(gimbal_loop_open(&desc)); }), 200L)));
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(Rehearsal, TheFirstLoopFindsItsMemoryThere) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers touch pages of their own";
#endif
    const int without = first_touches_of_a_loop(false);
    EXPECT_LT(2 * first_touches_of_a_loop(true), without) << "of " << without;
}

TEST(Rehearsal, LeavesNothingBehindThatAnybodyCouldSee) {
    const std::size_t sites = gimbal::all_sites().size();
    const std::uint32_t left = gimbal::count_left_loops();
    gimbal::rehearse_once();
    EXPECT_EQ(gimbal::all_sites().size(), sites);
    EXPECT_EQ(gimbal::count_left_loops(), left);
    EXPECT_TRUE(gimbal::unmatched_rules().empty());
}

// Its two workers are not threads for which a rank must have processors.
TEST(Rehearsal, IsNoTeamOfTheProgram) {
    const pid_t child = fork();  // which remembers how many ranks its node has
    if (child == 0) {
        setenv("MPI_LOCALNRANKS", std::to_string(std::max(sysconf(_SC_NPROCESSORS_ONLN), 2L)).c_str(), 1);
        const int before = gimbal_rank_is_crowded();
        gimbal::rehearse_once();
        _exit(gimbal_rank_is_crowded() == before ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(Rehearsal, IsMadeOnceWhenAScheduleIsSetThatIsToBeChosen) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers touch pages of their own";
#endif
    const std::size_t sites = gimbal::all_sites().size();
    int chunk = 0;
    const int kind = gimbal_schedule_kind(gimbal_schedule_parse("runtime"), &chunk);
    EXPECT_EQ(first_touches([&] {
                  for (int k = 0; k < 100; ++k) (void)gimbal_schedule_set(kind, 0);
              }),
              0);
    EXPECT_EQ(gimbal::all_sites().size(), sites);
}

}  // namespace
