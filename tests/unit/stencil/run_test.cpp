// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include <gtest/gtest.h>
#include <omp.h>

namespace stencil {
namespace {

Config small() {
    Config config;
    config.size = 14;
    config.steps = 9;
    config.mode = {1, 2, 3};
    return config;
}

TEST(Run, EveryScheduleAndEveryNoiseGivesTheSameMesh) {
    omp_set_schedule(omp_sched_static, 0);
    omp_set_num_threads(1);
    const std::uint64_t expected = run(small()).checksum;
    for (const omp_sched_t schedule : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
        for (const int threads : {1, 2, 5}) {
            for (const NoiseMode mode : {NoiseMode::none, NoiseMode::iteration, NoiseMode::thread}) {
                omp_set_schedule(schedule, 1);
                omp_set_num_threads(threads);
                Config config = small();
                config.noise = {mode, 5.0, 10, 0, 3};
                EXPECT_EQ(run(config).checksum, expected) << schedule << ' ' << threads;
            }
        }
    }
}

TEST(Run, TimesEveryStepAndChecksItself) {
    Config config = small();
    config.serial_check = true;
    const Result result = run(config);
    EXPECT_EQ(result.times_s.size(), 9U);
    EXPECT_EQ(result.serial_s.size(), 9U);
    EXPECT_GT(result.error, 0.0);
    EXPECT_LT(result.error, 1e-12);
}

}  // namespace
}  // namespace stencil
