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

TEST_F(ProcessSettingsDeathTest, RankZeroSaysWhatIsWrongAndEnds) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "x", 1);
            load_options_or_exit();
            _exit(0);
        },
        testing::ExitedWithCode(2), "gimbal: error: GIMBAL_SEED: \"x\" is not an integer");
}

TEST_F(ProcessSettingsDeathTest, OtherRanksEndInSilence) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "x", 1);
            setenv("PMI_RANK", "1", 1);
            load_options_or_exit();
            _exit(0);
        },
        testing::ExitedWithCode(2), "^$");
}

TEST_F(ProcessSettingsDeathTest, NotStrictIsAWarningAndTheDefault) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_SEED", "x", 1);
            setenv("GIMBAL_STRICT", "0", 1);
            load_options_or_exit();
            _exit(options().seed == 42 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "gimbal: warning: GIMBAL_SEED");
}

TEST_F(ProcessSettingsDeathTest, DisplayPrintsTheSettings) {
    EXPECT_EXIT(
        {
            setenv("GIMBAL_DISPLAY", "1", 1);
            load_options_or_exit();
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
