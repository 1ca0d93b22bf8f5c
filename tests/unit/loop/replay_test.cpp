// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process follows one record, read once: each test has a process of its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "config/load.hpp"
#include "loop/learning.hpp"
#include "report/steps.hpp"
#include "team.hpp"

namespace {

using gimbal::test::execute;
using gimbal::test::loop_desc;

constexpr const char* kLoop = "part.c:42 sweep";

class LoopReplay : public ::testing::Test {
protected:
    void SetUp() override {
        testing::FLAGS_gtest_death_test_style = "threadsafe";
        std::ofstream file(path_);
        file << gimbal::kStepsHeader;
        int step = 0;
        for (const char* const technique : {"gss", "tss", "static", "fac2"})
            file << kLoop << ",2," << step++ << ",100," << technique << ",sarsa,0,1,1,1,9,,,,,,,\n";
    }
    void TearDown() override { std::remove(path_.c_str()); }

    std::string path_ = testing::TempDir() + "replay_test.csv";
};

TEST_F(LoopReplay, ExecutionsThatAreCancelledWithTheirRegionAreNoSteps) {
    EXPECT_EXIT(
        {
            gimbal::set_option("replay", path_);
            auto desc = loop_desc(0x1000, 100, 2, 0);
            desc.source = ";part.c;sweep;42;9;;";
            std::string ran;
            for (const bool cancelled : {false, true, false, true, true, false, false}) {
                if (cancelled) {
                    gimbal_loop_drop(gimbal_loop_open(&desc));
                    continue;
                }
                execute(desc);
                for (const auto& use : gimbal::find_site(desc)->summary(1e-9, 0).schedules)
                    if (ran.find(use.schedule) == std::string::npos) ran.append(use.schedule).append(" ");
            }
            fprintf(stderr, "%s.", ran.c_str());
            _exit(0);
        },
        testing::ExitedWithCode(0), "^gss tss static fac2 \\.");
}

TEST_F(LoopReplay, TheRecordIsFollowedWhilePlacementIsAskedFirst) {
    EXPECT_EXIT(
        {
            gimbal::set_option("replay", path_);
            gimbal::LoopLearning loop(kLoop, 2);
            for (int step = 0; step < 4; ++step) {
                const gimbal::Opening opening = loop.open({.trip = 100, .hold = step > 0});
                fprintf(stderr, "%s %s,", to_string(opening.decision.schedule).c_str(),
                        std::string(opening.decision.reason).c_str());
            }
            _exit(0);
        },
        testing::ExitedWithCode(0), "^gss GIMBAL_REPLAY,tss GIMBAL_REPLAY,static GIMBAL_REPLAY,fac2 GIMBAL_REPLAY,");
}

}  // namespace
