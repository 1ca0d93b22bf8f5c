// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "report/step_log.hpp"
#include "select/recording.hpp"

namespace {

namespace fs = std::filesystem;
using gimbal::Recording;
using gimbal::StepLog;

class StepFiles : public testing::Test {
protected:
    StepFiles() : folder_(fs::temp_directory_path() / ("gimbal-steps-" + std::to_string(getpid()))) {
        fs::create_directory(folder_);
    }
    ~StepFiles() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return folder_ / "record.csv"; }
    [[nodiscard]] auto files() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }

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
    StepLog log(path());
    std::vector<std::thread> threads;
    for (const std::string& loop : loops) {
        threads.emplace_back([&log, &loop] {
            for (std::uint64_t i = 0; i < kSteps; ++i) log.add(row_of(loop, i));
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_FALSE(fs::exists(path()));
    log.finish();
    const Recording recording = Recording::read(path());
    for (const std::string& loop : loops) {
        const auto* const steps = recording.find(loop, 2);
        ASSERT_NE(steps, nullptr) << loop;
        ASSERT_EQ(steps->size(), kSteps);
        for (std::uint64_t i = 0; i < kSteps; ++i) EXPECT_EQ((*steps)[i].schedule.chunk, 1 + i);
    }
    EXPECT_EQ(files(), 1) << "nothing aside is left";
}

TEST_F(StepFiles, WithoutStepsNothingIsReplaced) {
    StepLog first(path());
    first.add(row_of("a", 0));
    first.finish();
    StepLog second(path());
    second.finish();
    EXPECT_NE(Recording::read(path()).find("a", 2), nullptr);
}

TEST_F(StepFiles, AChildGivesUpNothingOfItsParent) {
    StepLog parents(path());
    for (std::uint64_t i = 0; i < 5000; ++i) parents.add(row_of("a", i));
    EXPECT_EQ(files(), 1) << "the part of the first rows";
    parents.disown();
    EXPECT_EQ(files(), 1);
    EXPECT_THROW(parents.finish(), gimbal::Error) << "nor does it write there";
    EXPECT_EQ(files(), 1);
}

TEST_F(StepFiles, AFileThatCannotBeWrittenIsSaidAtTheEndAndOnlyThere) {
    StepLog log((folder_ / "no" / "such" / "folder.csv").string());
    for (std::uint64_t i = 0; i < 10000; ++i) log.add(row_of("a", i));
    EXPECT_THROW(log.finish(), gimbal::Error);
}

TEST_F(StepFiles, APartThatNobodyFinishesIsRemoved) {
    {
        StepLog log(path());
        for (std::uint64_t i = 0; i < 5000; ++i) log.add(row_of("a", i));
        EXPECT_EQ(files(), 1);
    }
    EXPECT_EQ(files(), 0);
}

}  // namespace
