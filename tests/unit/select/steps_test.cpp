// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/steps.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gimbal/options.hpp"
#include "select/recording.hpp"

namespace {

namespace fs = std::filesystem;

class StepFiles : public testing::Test {
protected:
    StepFiles() : folder_(fs::temp_directory_path() / ("gimbal-steps-" + std::to_string(getpid()))) {
        fs::create_directory(folder_);
        gimbal::restart_steps_in_child();  // what an earlier test asked for is forgotten
        gimbal::set_option("GIMBAL_RECORD", record());
        gimbal::set_option("GIMBAL_RL_AGENT_STATS", agents());
    }
    ~StepFiles() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string record() const { return folder_ / "record.csv"; }
    [[nodiscard]] std::string agents() const { return folder_ / "agents.csv"; }

    fs::path folder_;
};

gimbal::StepRow row_of(std::string_view loop, std::uint64_t number) {
    gimbal::StepRow row;
    row.loop = loop;
    row.workers = 2;
    row.step = number;
    row.schedule = gimbal::parse_schedule("gss");
    row.schedule.chunk = 1 + number;
    row.reason = "random";
    return row;
}

TEST_F(StepFiles, EveryStepOfEveryThreadIsThereOnceAndTheFileOnlyAtTheEnd) {
    constexpr std::uint64_t kSteps = 10000;  // more than wait in memory
    const std::string loops[] = {"a", "b, c", "d"};
    ASSERT_TRUE(gimbal::steps_wanted());
    std::vector<std::thread> threads;
    for (const std::string& loop : loops) {
        threads.emplace_back([&loop] {
            for (std::uint64_t i = 0; i < kSteps; ++i) gimbal::record_step(row_of(loop, i));
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_FALSE(fs::exists(record()));
    gimbal::finish_steps();
    const gimbal::Recording recording = gimbal::Recording::read(record());
    for (const std::string& loop : loops) {
        const auto* const steps = recording.find(loop, 2);
        ASSERT_NE(steps, nullptr) << loop;
        ASSERT_EQ(steps->size(), kSteps);
        for (std::uint64_t i = 0; i < kSteps; ++i) EXPECT_EQ((*steps)[i].choice.chunk, 1 + i);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1) << "nothing aside is left";
}

TEST_F(StepFiles, AgentStatisticsHoldTheStepsWithAThought) {
    gimbal::StepRow row = row_of("a", 0);
    gimbal::record_step(row);
    row.step = 1;
    row.thought = gimbal::learn::Thought{1, 0, 1, 0.5, -2, 0.9, 0.85};
    gimbal::record_step(row);
    gimbal::finish_steps();
    EXPECT_EQ(gimbal::Recording::read(record()).find("a", 2)->size(), 2U);
    ASSERT_TRUE(fs::exists(agents()));
    EXPECT_THROW((void)gimbal::Recording::read(agents()), std::exception) << "step 0 is not in it";
}

TEST_F(StepFiles, AProcessWithoutStepsReplacesNothing) {
    EXPECT_TRUE(gimbal::steps_wanted());
    gimbal::finish_steps();
    EXPECT_FALSE(fs::exists(record()));
}

TEST_F(StepFiles, StepsOfAParentAreNotTheChilds) {
    gimbal::record_step(row_of("a", 0));
    gimbal::restart_steps_in_child();
    gimbal::record_step(row_of("b", 0));
    gimbal::finish_steps();
    const gimbal::Recording recording = gimbal::Recording::read(record());
    EXPECT_EQ(recording.find("a", 2), nullptr);
    EXPECT_NE(recording.find("b", 2), nullptr);
}

TEST_F(StepFiles, AFileThatCannotBeWrittenIsSaidAtTheEndAndOnlyThere) {
    gimbal::set_option("GIMBAL_RECORD", (folder_ / "no" / "such" / "folder.csv").string());
    for (std::uint64_t i = 0; i < 10000; ++i) gimbal::record_step(row_of("a", i));
    EXPECT_THROW(gimbal::finish_steps(), std::exception);
}

}  // namespace
