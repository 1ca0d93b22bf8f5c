// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rehearsal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "gimbal/loop.h"
#include "gimbal/options.hpp"
#include "loop/left_loop.hpp"
#include "loop/site_table.hpp"
#include "team.hpp"

namespace {

/// Pages of memory that this process touched for the first time while something ran.
template <class Something>
long first_touches(Something something) {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    something();
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

TEST(Rehearsal, LeavesNothingBehindThatAnybodyCouldSee) {
    const std::size_t sites = gimbal::all_sites().size();
    const std::uint32_t left = gimbal::count_left_loops();
    gimbal::rehearse_once();
    EXPECT_EQ(gimbal::all_sites().size(), sites);
    EXPECT_EQ(gimbal::count_left_loops(), left);
    EXPECT_TRUE(gimbal::unmatched_rules().empty());
}

TEST(Rehearsal, IsMadeOnceWhenAScheduleIsSetThatIsToBeChosen) {
    const std::size_t sites = gimbal::all_sites().size();
    int chunk = 0;
    const int kind = gimbal_schedule_kind(gimbal_schedule_parse("runtime"), &chunk);
    EXPECT_EQ(first_touches([&] {
                  for (int k = 0; k < 100; ++k) (void)gimbal_schedule_set(kind, 0);
              }),
              0);
    EXPECT_EQ(gimbal::all_sites().size(), sites);
}

TEST(Rehearsal, TheFirstLoopFindsMostOfItsMemoryThere) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers touch pages of their own";
#endif
    gimbal_loop_desc desc = gimbal::test::loop_desc(0x1000, 64, 2, gimbal_schedule_parse("runtime"));
    desc.can_leave = 1;
    // Without a rehearsal it touches some twenty-five.
    EXPECT_LE(first_touches([&] { gimbal_loop_drop(gimbal_loop_open(&desc)); }), 8);
}

}  // namespace
