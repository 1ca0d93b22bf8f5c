// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/claim_width.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "base/clock.hpp"

namespace {

using gimbal::ClaimWidth;
using gimbal::LoopRecord;
using gimbal::Plan;
using gimbal::WorkerRecord;

constexpr std::uint64_t kTrip = 1'000'000;

Plan single_steps() {
    Plan plan;
    plan.iterations = kTrip;
    plan.workers = 2;
    plan.chunk = 1;
    plan.steps = kTrip;
    return plan;
}

// An execution of two workers whose steps take `step_us` and who leave `apart_us` after each other.
class Scripted {
public:
    Scripted(double step_us, double apart_us) {
        const double us = gimbal::ticks_per_microsecond();
        const double busy = step_us * us * static_cast<double>(kTrip) / 2;
        workers_[0] = {0, static_cast<std::uint64_t>(busy), kTrip / 2, kTrip / 2};
        workers_[1] = {0, static_cast<std::uint64_t>(busy + apart_us * us), kTrip / 2, kTrip / 2};
        record_.iterations = kTrip;
        record_.chunks = kTrip;
        record_.busy_mean = busy;
        record_.loop_time = busy + apart_us * us;
        record_.workers = workers_;
    }
    [[nodiscard]] const LoopRecord& record() const { return record_; }

private:
    std::array<WorkerRecord, 2> workers_{};
    LoopRecord record_;
};

class Width : public testing::Test {
protected:
    static void SetUpTestSuite() {
        gimbal::start_clock();
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
    ClaimWidth width_;
    Plan plan_ = single_steps();
};

TEST_F(Width, ALoopThatRunsOnceClaimsSingleSteps) {
    EXPECT_EQ(width_.width(plan_), 1U);
}

TEST_F(Width, ShortStepsLetItDoubleUpToSixteen) {
    const Scripted even(0.01, 0);
    for (const std::uint64_t expected : {2U, 4U, 8U, 16U, 16U}) {
        width_.learn(even.record(), plan_);
        EXPECT_EQ(width_.width(plan_), expected);
    }
}

TEST_F(Width, LongStepsKeepItAtOne) {
    const Scripted even(0.6, 0);
    for (int i = 0; i < 10; ++i) width_.learn(even.record(), plan_);
    EXPECT_EQ(width_.width(plan_), 1U);
}

TEST_F(Width, AClaimNeverTakesLongerThanAMicrosecond) {
    const Scripted even(0.2, 0);
    for (int i = 0; i < 10; ++i) width_.learn(even.record(), plan_);
    EXPECT_EQ(width_.width(plan_), 4U);
}

TEST_F(Width, WorkersLeavingFarApartSetItBackAndMakeItWait) {
    const Scripted even(0.01, 0);
    const Scripted late(0.01, 1000);
    width_.learn(even.record(), plan_);
    width_.learn(late.record(), plan_);
    EXPECT_EQ(width_.width(plan_), 1U);
    width_.learn(even.record(), plan_);
    EXPECT_EQ(width_.width(plan_), 1U) << "it must wait before it tries again";
    for (int i = 0; i < 3; ++i) width_.learn(even.record(), plan_);
    EXPECT_GT(width_.width(plan_), 1U);
}

TEST_F(Width, ShortLoopsAreNotCutIntoWideClaims) {
    const Scripted even(0.01, 0);
    for (int i = 0; i < 5; ++i) width_.learn(even.record(), plan_);
    Plan small = plan_;
    small.steps = small.iterations = 100;
    EXPECT_EQ(width_.width(small), 1U);
}

TEST_F(Width, TablesAndLargeChunksAlwaysClaimSingleSteps) {
    const Scripted even(0.01, 0);
    for (int i = 0; i < 5; ++i) width_.learn(even.record(), plan_);
    Plan chunks = plan_;
    chunks.chunk = 4;
    EXPECT_EQ(width_.width(chunks), 1U);
}

}  // namespace
