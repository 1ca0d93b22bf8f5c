// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/stencil_reduce.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace apps {
namespace {

constexpr std::int64_t kRows = 40;
constexpr std::int64_t kColumns = 30;

/// Each cell becomes the mean of its four neighbours; returns the largest change.
struct Relax {
    double operator()(const double* from, double* to, std::int64_t row, std::int64_t first, std::int64_t end) const {
        double most = 0;
        for (std::int64_t x = first; x < end; ++x) {
            const std::int64_t at = row * kColumns + x;
            if (row == 0 || row == kRows - 1 || x == 0 || x == kColumns - 1) continue;  // the border holds still
            to[at] = (from[at - 1] + from[at + 1] + from[at - kColumns] + from[at + kColumns]) / 4;
            most = std::max(most, std::abs(to[at] - from[at]));
        }
        return most;
    }
};

std::vector<double> start() {
    std::vector<double> cells(kRows * kColumns);
    for (std::int64_t i = 0; i < kRows * kColumns; ++i)
        cells[static_cast<std::size_t>(i)] = static_cast<double>(i % kColumns) + 10 * static_cast<double>(i % 7 == 3);
    for (std::int64_t y = 0; y < kRows; ++y) {  // the border: x, which is harmonic
        for (std::int64_t x = 0; x < kColumns; ++x) {
            if (y == 0 || y == kRows - 1 || x == 0 || x == kColumns - 1)
                cells[static_cast<std::size_t>(y * kColumns + x)] = static_cast<double>(x);
        }
    }
    return cells;
}

TEST(StencilReduce, StepsUntilTheReducedValueSaysStop) {
    std::vector<double> from = start();
    std::vector<double> to = from;
    int steps = 0;
    const auto largest = [](double a, double b) { return std::max(a, b); };
    const auto stop = [&](double most) {
        ++steps;
        return most < 1e-9;
    };
    TwoGrids<double> grids{kRows, kColumns, from.data(), to.data()};
    const std::vector<double> times_s = loop_of_stencil_reduce(grids, Relax{}, largest, 0.0, stop, OnThreads{});
    EXPECT_EQ(times_s.size(), static_cast<std::size_t>(steps));
    EXPECT_EQ(grids.from, steps % 2 == 1 ? to.data() : from.data());
    for (std::int64_t i = 0; i < kRows * kColumns; ++i)
        ASSERT_NEAR(grids.from[i], static_cast<double>(i % kColumns), 1e-5);
}

TEST(StencilReduce, OneStepIsOneStep) {
    std::vector<double> from = start();
    std::vector<double> to = from;
    TwoGrids<double> grids{kRows, kColumns, from.data(), to.data()};
    const std::vector<double> times_s = loop_of_stencil_reduce(
        grids, Relax{}, std::plus<>(), 0.0, [](double) { return true; }, OnThreads{});
    EXPECT_EQ(times_s.size(), 1U);
    EXPECT_EQ(grids.from, to.data());
    const std::size_t at = 5 * kColumns + 5;
    EXPECT_EQ(to[at], (from[at - 1] + from[at + 1] + from[at - kColumns] + from[at + kColumns]) / 4);
}

/// Sums that round are the same for every schedule and number of threads.
TEST(StencilReduce, TheReducedValueDoesNotDependOnTheSchedule) {
    std::vector<double> sums;
    for (const omp_sched_t schedule : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
        for (const int threads : {1, 2, 5}) {
            omp_set_schedule(schedule, 0);
            omp_set_num_threads(threads);
            std::vector<double> from = start();
            std::vector<double> to = from;
            TwoGrids<double> grids{kRows, kColumns, from.data(), to.data()};
            double sum = 0;
            loop_of_stencil_reduce(
                grids, Relax{}, std::plus<>(), 0.1,
                [&](double value) {
                    sum += value;
                    return sum > 100;
                },
                OnThreads{});
            sums.push_back(sum);
        }
    }
    EXPECT_EQ(std::count(sums.begin(), sums.end(), sums.front()), static_cast<std::ptrdiff_t>(sums.size()));
}

}  // namespace
}  // namespace apps
