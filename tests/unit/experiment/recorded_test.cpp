// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/recorded.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "experiment/experiment.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;

/// Chunks of two iterations of 10 ns, one of 40 ns, three of 2 ns; then one iteration of 5 ns.
RecordedLoop shrinking_loop() {
    return {"shrinks", {{{2, 3, 6}, {20, 40, 6}}, {{1}, {5}}}};
}

TEST(Recorded, IterationsCostWhatTheirChunkDid) {
    const auto application = make_recorded({shrinking_loop()}, 4, 0);
    EXPECT_EQ(application->workers, 4U);
    EXPECT_EQ(application->steps, 2U);
    EXPECT_EQ(application->iterations, 6U);
    EXPECT_FALSE(application->same_trips);
    const Work& first = application->work(0, 0);
    EXPECT_DOUBLE_EQ(first.time({0, 6}), 66);
    EXPECT_DOUBLE_EQ(first.time({1, 2}), 10);
    EXPECT_DOUBLE_EQ(first.time({1, 3}), 50);
    EXPECT_DOUBLE_EQ(first.time({3, 5}), 4);
    EXPECT_DOUBLE_EQ(first.time({6, 6}), 0);
    EXPECT_DOUBLE_EQ(application->work(0, 1).time({0, 1}), 5);
}

TEST(Recorded, ExecutionsKeepTheirLengthsAndBeginAgain) {
    const auto application = make_recorded({shrinking_loop()}, 1, 5);
    std::vector<std::uint64_t> trips;
    for (std::uint64_t step = 0; step < 5; ++step) trips.push_back(application->trip(0, step));
    EXPECT_EQ(trips, (std::vector<std::uint64_t>{6, 1, 6, 1, 6}));
    EXPECT_EQ(application->frame(4), 0U);
}

TEST(Recorded, ALoopOfEqualLengthsSaysSo) {
    EXPECT_TRUE(make_recorded({{"loop", {{{4}, {8}}, {{2, 4}, {1, 3}}}}}, 2, 0)->same_trips);
}

TEST(Recorded, AnExperimentRunsEachExecutionWithItsOwnWork) {
    const auto application = make_recorded({shrinking_loop(), {"once", {{{3}, {30}}}}}, 2, 0);
    std::vector<std::uint64_t> iterations(2);
    std::vector<double> ideal(2);
    std::vector<unsigned> executions(2);
    run_experiment({.application = application.get(), .costs = drawing_costs(false), .request = {.selector = "fixed"}},
                   [&](const ExperimentStep& seen) {
                       iterations[seen.loop] += seen.step->iterations;
                       ideal[seen.loop] += seen.ideal;
                       ++executions[seen.loop];
                       EXPECT_GE(seen.step->loop_time, seen.ideal);
                   });
    EXPECT_EQ(executions, (std::vector<unsigned>{2, 1}));  // not in the second step: it ran once
    EXPECT_EQ(iterations, (std::vector<std::uint64_t>{7, 3}));
    EXPECT_DOUBLE_EQ(ideal[0], (66 + 5) / 2.0);
    EXPECT_DOUBLE_EQ(ideal[1], 15);
}

}  // namespace
