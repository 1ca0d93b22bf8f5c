// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/prediction_error.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using gimbal::PredictionError;
using gimbal::WorkerRecord;

/// A team whose static parts end at the given times and whose loop ends at `end`; all begin at 100.
std::vector<WorkerRecord> team(const std::vector<std::uint64_t>& static_ends, std::uint64_t end) {
    std::vector<WorkerRecord> workers;
    for (const std::uint64_t static_end : static_ends) {
        WorkerRecord record;
        record.begin = 100;
        record.static_end = 100 + static_end;
        record.end = 100 + end;
        workers.push_back(record);
    }
    return workers;
}

TEST(PredictionError, LeavesATenthDynamicWhileNothingIsKnown) {
    EXPECT_DOUBLE_EQ(PredictionError{}.fraction(), 0.9);
}

TEST(PredictionError, GoodPredictionsLeaveTheLeastDynamicShare) {
    PredictionError error;
    for (int i = 0; i < 8; ++i) error.add(team({1000, 1000}, 1010), 1);
    EXPECT_NEAR(error.fraction(), 0.98, 1e-12);
}

// Formula 2, exact form: one of four is late by 400 of 1000, so the others need (p - 1) 400 / (p 1000) = 0.3.
TEST(PredictionError, ALateWorkerCostsWhatFormulaTwoSays) {
    PredictionError error;
    for (int i = 0; i < 8; ++i) error.add(team({900, 500, 500, 500}, 1000), 1);
    EXPECT_NEAR(error.fraction(), 1 / (1 + 1.5 * 0.3), 0.011);
}

// Blocks of half the loop end late by half as much as blocks of all of it would.
TEST(PredictionError, ShortBlocksAreLateByLess) {
    PredictionError all, half;
    for (int i = 0; i < 8; ++i) all.add(team({900, 500, 500, 500}, 1000), 1);
    for (int i = 0; i < 8; ++i) half.add(team({450, 250, 250, 250}, 1000), 0.5);
    EXPECT_DOUBLE_EQ(half.fraction(), all.fraction());
}

TEST(PredictionError, OneInterruptionAmongManyExecutionsIsForgiven) {
    PredictionError error;
    for (int i = 0; i < 7; ++i) error.add(team({1000, 1000}, 1010), 1);
    error.add(team({1000, 5000}, 5000), 1);
    EXPECT_NEAR(error.fraction(), 0.98, 1e-12);
}

TEST(PredictionError, NeverGivesUpMoreThanHalfAndForgetsAfterEightExecutions) {
    PredictionError error;
    for (int i = 0; i < 3; ++i) error.add(team({10, 10, 10, 9000}, 9000), 1);
    EXPECT_DOUBLE_EQ(error.fraction(), 0.5);
    for (int i = 0; i < 8; ++i) error.add(team({1000, 1000}, 1010), 1);
    EXPECT_NEAR(error.fraction(), 0.98, 1e-12);
}

// Its block was so long that nothing was left: the time of its end is that of its block.
TEST(PredictionError, WhoDrewNothingAfterItsBlockEndedWithIt) {
    PredictionError error;
    std::vector<WorkerRecord> workers = team({500, 500, 500, 600}, 600);
    workers.back().static_end = 0;
    for (int i = 0; i < 8; ++i) error.add(workers, 1);
    EXPECT_NEAR(error.fraction(), 1 / (1 + 1.5 * 75 / 600), 0.011);
}

TEST(PredictionError, ExecutionsThatWereNotTimedChangeNothing) {
    PredictionError error;
    WorkerRecord untimed;
    untimed.begin = 100;
    untimed.end = 200;
    error.add(std::vector<WorkerRecord>{untimed, untimed}, 0.9);
    error.add({}, 0.9);
    EXPECT_DOUBLE_EQ(error.fraction(), 0.9);
}

}  // namespace
