// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The settings of a whole process: each case runs in a child of its own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "config/load.hpp"
#include "gimbal/options.hpp"

namespace gimbal {
namespace {

class ProcessSettingsDeathTest : public testing::Test {
protected:
    void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(ProcessSettingsDeathTest, RankZeroSaysWhatIsWrongAndTheProgramGoesOnWithoutGimbal) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "x", 1);
            setenv("GIMBAL_LOOPS", "*=fac2", 1);
            load_options_at_start();
            _exit(options().kept_out && options().loops.empty() && !options().lend ? 0 : 1);
        },
        testing::ExitedWithCode(0), "gimbal: warning: GIMBAL_SEED: \"x\" is not an integer");
}

// What is said is true of them: loops over ranks have no plain form.
TEST_F(ProcessSettingsDeathTest, LoopsOverRanksKeepTheSettingsThatAreRight) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_FOO", "1", 1);
            setenv("GIMBAL_MPI_TRANSPORT", "foreman", 1);
            load_options_at_start();
            _exit(options().kept_out && options().ranks.transport == RankTransport::foreman ? 0 : 1);
        },
        testing::ExitedWithCode(0),
        "OpenMP loops run without Gimbal, loops over ranks with the settings that are right");
}

TEST_F(ProcessSettingsDeathTest, OtherRanksAndChildrenAreSilent) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "x", 1);
            setenv("PMI_RANK", "1", 1);
            load_options_at_start();
            _exit(options().kept_out ? 0 : 1);
        },
        testing::ExitedWithCode(0), "^$");
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "x", 1);
            load_options_at_start();
            _exit(getenv("GIMBAL_SAID") ? 0 : 1);  // what makes children silent
        },
        testing::ExitedWithCode(0), "warning");
}

TEST_F(ProcessSettingsDeathTest, NotStrictIsAWarningAndTheDefault) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "x", 1);
            setenv("GIMBAL_STRICT", "0", 1);
            load_options_at_start();
            _exit(options().seed == 42 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "gimbal: warning: GIMBAL_SEED");
}

TEST_F(ProcessSettingsDeathTest, DisplayPrintsTheSettings) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_DISPLAY", "1", 1);
            load_options_at_start();
            _exit(0);
        },
        testing::ExitedWithCode(0), "GIMBAL_DISPLAY=1 +environment");
}

TEST_F(ProcessSettingsDeathTest, TheProgramBeatsTheEnvironmentAndOldReadersKeepTheirView) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "7", 1);
            const Options& before = options();
            set_option("GIMBAL_SEED", "8");
            bool refused = false;
            try {
                set_option("GIMBAL_SEED", "x");
            } catch (const Error&) {
                refused = true;
            }
            const bool right = before.seed == 7 && options().seed == 8 && options().origin("GIMBAL_SEED") == "API";
            _exit(refused && right ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gimbal
