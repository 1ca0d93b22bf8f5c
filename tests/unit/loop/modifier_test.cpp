// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "config/load.hpp"
#include "team.hpp"

namespace {

using gimbal::test::execute;
using gimbal::test::loop_desc;

// What GIMBAL_SCHEDULE promises counts wherever nothing else is named.
TEST(ConfiguredSchedule, ItsModifierIsKeptWhereItDecides) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            gimbal::set_option("schedule", "monotonic:static-steal,4");
            const int number = gimbal_schedule_parse(nullptr);
            const auto asked = loop_desc(0x1100, 100, 2, number);
            const auto by_default = loop_desc(0x1200, 100, 2, 0);
            execute(asked);
            execute(by_default);
            fprintf(stderr, "%d ", gimbal_schedule_modifier(number));
            for (const auto& desc : {asked, by_default})
                for (const auto& use : gimbal::find_site(desc)->summary(1e-9, 0).schedules)
                    fprintf(stderr, "%s ", use.schedule.c_str());
            gimbal::set_option("schedule", "nonmonotonic:static-steal,4");
            execute(loop_desc(0x1300, 100, 2, gimbal_schedule_parse(nullptr)));
            for (const auto& use : gimbal::find_site(loop_desc(0x1300, 100, 2, 0))->summary(1e-9, 0).schedules)
                fprintf(stderr, "%s ", use.schedule.c_str());
            _exit(0);
        },
        testing::ExitedWithCode(0), "^1 fac2,4 fac2,4 static-steal,4 ");
}

}  // namespace
