// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiment/application.hpp"
#include "gimbal/error.hpp"
#include "simulate/work.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;

std::unique_ptr<Application> made(std::string_view text, std::uint32_t workers = 0, std::uint64_t iterations = 0,
                                  std::uint64_t seed = 1) {
    ApplicationRequest request = parse_application(text);
    request.workers = workers;
    request.iterations = iterations;
    request.seed = seed;
    return make_application(std::move(request));
}

/// Dearest block over the mean one.
double static_imbalance(const Work& work, std::uint64_t iterations, std::uint32_t blocks) {
    double dearest = 0;
    for (std::uint64_t k = 0; k < blocks; ++k)
        dearest = std::max(dearest, work.time({k * iterations / blocks, (k + 1) * iterations / blocks}));
    return dearest * blocks / work.time({0, iterations}) - 1;
}

TEST(Applications, EveryOneHasWorkThatAddsUp) {
    for (const std::string_view name : application_names()) {
        if (name == "mandelbrot") continue;  // below: it takes a second
        SCOPED_TRACE(name);
        const auto application = made(name);
        const std::uint64_t n = application->iterations;
        for (const std::uint64_t step : {std::uint64_t{0}, application->steps / 2, application->steps - 1}) {
            const Work& work = application->work(0, step);
            double sum = 0;
            const std::uint64_t grain = 40 * application->workers;
            for (std::uint64_t first = 0; first < n; first += grain) {
                const double time = work.time({first, std::min(n, first + grain)});
                EXPECT_GE(time, 0);
                sum += time;
            }
            EXPECT_NEAR(sum, work.time({0, n}), 1e-3 * sum);
            EXPECT_EQ(work.time({5, 5}), 0);
        }
    }
}

TEST(Applications, PiSolverIsTheSeedsAtItsScale) {
    const auto flat = made("pisolver:imbalance=0");
    EXPECT_EQ(flat->iterations, 500000U);
    EXPECT_EQ(flat->workers, 200U);
    EXPECT_EQ(flat->steps, 1500U);
    EXPECT_NEAR(flat->work(0, 0).time({0, 500000}) / 200 * 1500 * 1e-9, 501, 1);  // seconds, its table 5.3
    EXPECT_NEAR(static_imbalance(flat->work(0, 0), 500000, 200), 0, 1e-9);
}

TEST(Applications, PiSolversWorkersDifferByAtMostItsImbalance) {
    const auto blocks = made("pisolver:imbalance=10");
    const double mean = blocks->work(0, 0).time({0, 500000}) / 200;
    double squares = 0;
    for (std::uint64_t k = 0; k < 200; ++k) {
        const double part = blocks->work(0, 7).time({k * 2500, (k + 1) * 2500}) / mean - 1;
        EXPECT_LE(std::abs(part), 0.12);  // 10 % of the true mean, which the sample's misses by a little
        squares += part * part;
    }
    EXPECT_NEAR(std::sqrt(squares / 200), 0.054, 0.006);  // a normal cut off at one deviation
    const auto spread = made("pisolver:imbalance=10,dist=iid");
    EXPECT_LT(static_imbalance(spread->work(0, 0), 500000, 200), 0.01);  // what differs by iteration averages out
}

TEST(Applications, SeedsDrawOtherCosts) {
    EXPECT_EQ(made("pisolver", 8)->work(0, 0).time({0, 1000}), made("pisolver", 8)->work(0, 0).time({0, 1000}));
    EXPECT_NE(made("pisolver", 8)->work(0, 0).time({0, 1000}), made("pisolver", 8, 0, 2)->work(0, 0).time({0, 1000}));
}

TEST(Applications, MandelbrotsSecondLoopGetsOutOfBalanceAndTheThirdIntoIt) {
    const auto application = made("mandelbrot", 4);
    const std::uint64_t n = application->iterations;
    EXPECT_EQ(n, 1048576U);
    ASSERT_EQ(application->loops.size(), 3U);
    const std::uint64_t last = application->steps - 1;
    const double low = static_imbalance(application->work(1, 0), n, 4);
    const double high = static_imbalance(application->work(1, last), n, 4);
    EXPECT_LT(low, 0.3);
    EXPECT_GT(high, 1);
    for (const std::uint64_t step : {std::uint64_t{0}, last / 3, last}) {
        const double second = application->work(1, step).time({0, n / 3});
        EXPECT_NEAR(application->work(2, last - step).time({0, n / 3}), second, 1e-9 * second);
        EXPECT_EQ(application->work(0, step).time({0, n / 3}), application->work(0, 0).time({0, n / 3}));
    }
    // Most of the plane below |c| = 0.5 never escapes: the first window of L2 costs nearly 10000 steps a point.
    EXPECT_NEAR(application->work(1, 0).time({0, n}) / static_cast<double>(n), 8e4, 1.5e4);
}

TEST(Applications, EvrardGetsDearerAndMoreUnbalanced) {
    const auto application = made("evrard:threads=1");
    const std::uint64_t n = application->iterations;
    const double first = static_imbalance(application->work(0, 0), n, 4);
    const double late = static_imbalance(application->work(0, 230), n, 4);
    EXPECT_GT(first, 0.3);  // radial order: shared reference figures have 44 % and 58 % to 46 %
    EXPECT_GT(late, first);
    EXPECT_GT(application->work(0, 249).time({0, n}), 0);
}

TEST(Applications, WorkersThatAreThreadsOfRanksHaveNoTeamsAndDrawAsThreads) {
    for (const char* const name : {"evrard", "pisolver"}) {
        SCOPED_TRACE(name);
        ApplicationRequest request{.name = name, .workers = 10, .iterations = 20000};
        const auto ranks = make_application(request);
        EXPECT_TRUE(ranks->ranks);
        request.ranks = 4;
        const auto threads = make_application(request);
        EXPECT_FALSE(threads->ranks);
        const double teams = request.name == "evrard" ? 4 : 1;  // 40 cores
        EXPECT_NEAR(threads->work(0, 0).time({0, 20000}), teams * ranks->work(0, 0).time({0, 20000}), 1);
    }
}

TEST(Applications, ATeamRunsSmallChunksWithPartOfItsThreads) {
    const ListedWork work(std::vector<double>(100, 10));
    const TeamWork team(work, 10);
    EXPECT_DOUBLE_EQ(team.time({0, 1}), 10);
    EXPECT_DOUBLE_EQ(team.time({0, 10}), 10);
    EXPECT_DOUBLE_EQ(team.time({0, 11}), 20);
    EXPECT_DOUBLE_EQ(team.time({0, 100}), 100);
    EXPECT_DOUBLE_EQ(team.time({0, 10}, 10), 100);  // ten chunks of one
    EXPECT_EQ(team.time({3, 3}), 0);
}

TEST(Applications, FlipTurnsRoundAtHalfTime) {
    const auto flip = made("flip");
    const double early = flip->work(0, 99).time({0, 1000});
    EXPECT_LT(early, 0.01 * flip->work(0, 100).time({0, 1000}));
    EXPECT_NEAR(flip->work(0, 100).time({99000, 100000}), early, 1e-6 * early);
}

TEST(Applications, TurnsIsHeavyAtEachPlaceInTurn) {
    const auto turns = made("turns:places=4");
    for (std::uint64_t step = 0; step < 8; ++step) {
        for (std::uint64_t place = 0; place < 4; ++place) {
            const std::uint64_t middle = 25'000 * place + 12'500;
            const double share =
                turns->work(0, step).time({middle - 100, middle + 100}) / turns->work(0, step).time({0, 100'000});
            EXPECT_EQ(share > 0.005, place == step % 4) << step << ' ' << place;
        }
    }
}

TEST(Applications, WhatIsWrongIsSaid) {
    for (const char* const text : {"", "piesolver", "pisolver:imbalance", "pisolver:imbalance=x", "pisolver:=3",
                                   "pisolver:imbalance=101", "pisolver:dist=no", "pisolver:other=1",
                                   "pisolver:imbalance=1,imbalance=2", "uniform:cost_us=nan", "mandelbrot:x=1"}) {
        SCOPED_TRACE(text);
        EXPECT_THROW(static_cast<void>(made(text)), Error);
    }
}

TEST(Work, KeyframesAreMetAndBlended) {
    BinnedWork low;
    BinnedWork high;
    low.assign(std::vector<double>{1, 1}, 10, 100);
    high.assign(std::vector<double>{3, 1}, 10, 200);
    KeyframedWork work({low, high}, {0, 1});
    work.move_to(-1);
    EXPECT_DOUBLE_EQ(work.time({0, 5}), 50);
    work.move_to(0.5);
    EXPECT_DOUBLE_EQ(work.time({0, 5}), 100);
    EXPECT_DOUBLE_EQ(work.time({0, 10}), 150);
    work.move_to(1);
    EXPECT_DOUBLE_EQ(work.time({0, 5}), 150);
    work.move_to(2);
    EXPECT_DOUBLE_EQ(work.time({5, 10}), 50);
}

TEST(Work, AProfileStretchesToAnyNumberOfIterations) {
    CostProfile profile;
    ChunkCosts costs;
    costs.prepare(100, 100);
    for (std::uint64_t i = 0; i < 100; ++i) costs.add({i, i + 1}, static_cast<double>(i));
    const ChunkCosts* const seen = &costs;
    profile.learn({&seen, 1});
    const ProfiledWork work(profile, 1000, 2);
    EXPECT_NEAR(work.time({0, 1000}), 2 * 4950, 1e-9);
    EXPECT_NEAR(work.time({100, 110}), 2 * 10, 1e-9);
    EXPECT_NEAR(work.time({100, 105}), 10, 1e-9);
}

}  // namespace
