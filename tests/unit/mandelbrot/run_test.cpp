// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <array>

namespace mandelbrot {
namespace {

const Config kSmall{{60, 50, 200}, 4, {1, 2, 3}, false};

TEST(Run, RisingAndFallingLoopsDoTheSameWork) {
    const auto loops = run(kSmall);
    ASSERT_EQ(loops.size(), 3U);
    EXPECT_EQ(loops[1].z_steps, loops[2].z_steps);
    EXPECT_EQ(loops[1].checksum, loops[2].checksum);
    EXPECT_NE(loops[0].checksum, loops[1].checksum);
}

TEST(Run, EveryScheduleGivesTheSameChecksum) {
    omp_set_schedule(omp_sched_static, 0);
    omp_set_num_threads(1);
    const std::uint64_t expected = checksum(run(kSmall));
    for (const omp_sched_t schedule : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
        for (const int threads : {1, 2, 5}) {
            omp_set_schedule(schedule, 1);
            omp_set_num_threads(threads);
            EXPECT_EQ(checksum(run(kSmall)), expected) << schedule << ' ' << threads;
        }
    }
}

TEST(Run, TimesEveryStepOfTheLoopsAskedFor) {
    Config config = kSmall;
    config.loops = {3, 1};
    config.serial_check = true;
    const auto loops = run(config);
    ASSERT_EQ(loops.size(), 2U);
    EXPECT_EQ(loops[0].name, "L3");
    EXPECT_EQ(loops[1].name, "L1");
    for (const LoopResult& loop : loops) {
        EXPECT_EQ(loop.times_s.size(), 4U);
        EXPECT_EQ(loop.serial_s.size(), 4U);
        for (const double time_s : loop.times_s) EXPECT_GT(time_s, 0.0);
    }
}

TEST(Checksum, SeesWhatAPixelHoldsAndWhere) {
    const std::array<std::uint32_t, 3> counts{1, 2, 3};
    const std::array<std::uint32_t, 3> swapped{2, 1, 3};
    const std::array<std::uint32_t, 3> other{1, 2, 4};
    EXPECT_NE(checksum(counts), checksum(swapped));
    EXPECT_NE(checksum(counts), checksum(other));
}

}  // namespace
}  // namespace mandelbrot
