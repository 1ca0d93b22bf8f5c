// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulation.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

namespace nbody {
namespace {

Config small() {
    Config config;
    config.bodies = 400;
    config.clusters = 4;
    config.steps = 5;
    return config;
}

Simulation after(const Config& config, std::int64_t steps) {
    Simulation simulation(config);
    for (std::int64_t step = 0; step < steps; ++step) simulation.step();
    return simulation;
}

double energy_change(double dt, std::int64_t steps) {
    Config config = small();
    config.dt = dt;
    Simulation simulation(config);
    const double start = energies(simulation.bodies()).total();
    double largest = 0.0;
    for (std::int64_t step = 0; step < steps; ++step) {
        simulation.step();
        largest = std::max(largest, std::abs(energies(simulation.bodies()).total() / start - 1.0));
    }
    return largest;
}

TEST(Simulation, ConservesMomentumToRounding) {
    const Vec3 momentum = energies(after(small(), 100).bodies()).momentum;
    EXPECT_LT(std::sqrt(dot(momentum, momentum)), 1e-13);
}

TEST(Simulation, ConservesEnergyWithTheSecondOrderOfLeapfrog) {
    const double coarse = energy_change(4e-4, 50);
    const double fine = energy_change(2e-4, 100);
    EXPECT_LT(fine, 1e-4);
    EXPECT_GT(coarse / fine, 3.0);  // 4 in the limit
    EXPECT_LT(coarse / fine, 5.0);
}

TEST(Simulation, EveryScheduleGivesTheSameBodies) {
    omp_set_schedule(omp_sched_static, 0);
    omp_set_num_threads(1);
    const Bodies expected = after(small(), 5).bodies();
    for (const omp_sched_t schedule : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
        for (const int threads : {1, 2, 5}) {
            omp_set_schedule(schedule, 1);
            omp_set_num_threads(threads);
            EXPECT_EQ(after(small(), 5).bodies(), expected) << schedule << ' ' << threads;
        }
    }
}

TEST(Simulation, WorkOfBodiesIsUnequalForAnyNumberOfWorkers) {
    Config config;
    config.bodies = 4000;
    const Simulation simulation(config);
    EXPECT_GT(work_cov(simulation.bodies()), 0.5);
    for (const std::size_t workers : {2U, 4U, 8U, 16U}) {
        EXPECT_GT(static_imbalance(simulation.bodies(), workers), 40.0) << workers;
    }
}

TEST(Simulation, WorkDriftsSlowly) {
    Config config;
    config.bodies = 2000;
    Simulation simulation(config);
    double change = 0.0;
    double sum = 0.0;
    const auto before = simulation.bodies().interactions;
    for (int step = 0; step < 3; ++step) simulation.step();
    for (std::size_t i = 0; i < before.size(); ++i) {
        change += std::abs(static_cast<double>(simulation.bodies().interactions[i]) - before[i]);
        sum += before[i];
    }
    EXPECT_GT(change / sum, 0.0);
    EXPECT_LT(change / sum, 0.05);
}

TEST(Simulation, TimesEveryStepOfItsLoops) {
    Config config = small();
    config.serial_check = true;
    const Simulation simulation = after(config, 3);
    EXPECT_EQ(simulation.loops()[0].name, "drift");
    EXPECT_EQ(simulation.loops()[1].name, "force");
    for (const LoopTimes& loop : simulation.loops()) {
        EXPECT_EQ(loop.times_s.size(), 3U);
        EXPECT_EQ(loop.serial_s.size(), 3U);
    }
}

}  // namespace
}  // namespace nbody
