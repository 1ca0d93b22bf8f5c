// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.hpp"
#include "search.hpp"
#include "small.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <memory>
#include <numeric>

namespace aco {
namespace {

Search small(Barrier barrier) {
    Search search;
    search.ants = 30;
    search.iterations = 10;
    search.barrier = barrier;
    search.colony = 3;
    return search;
}

/// The same search by nobody but the caller.
Outcome alone(const Instance& instance, const Search& search) {
    std::vector<Outcome> outcomes;
    Workspace workspace(instance.jobs());
    for (std::int64_t index = 0; index < search.colonies(); ++index) {
        const std::int64_t ants = search.barrier == Barrier::none ? search.colony : search.ants;
        Colony colony(instance, search.seed, index * ants, ants);
        for (std::int64_t iteration = 0; iteration < search.iterations; ++iteration) {
            for (std::int64_t ant = 0; ant < ants; ++ant) colony.make(ant, workspace);
            colony.end_iteration();
        }
        outcomes.push_back(colony.outcome());
    }
    return merged(outcomes);
}

std::int64_t ants_of(const Crew& crew) {
    return std::accumulate(crew.work().begin(), crew.work().end(), std::int64_t{0},
                           [](std::int64_t sum, const ThreadWork& work) { return sum + work.ants; });
}

class EveryBarrier : public testing::TestWithParam<Barrier> {};

TEST_P(EveryBarrier, FarmsOfAnySizeFindWhatOneThreadFinds) {
    const Instance instance = many_jobs(25);
    const Search search = small(GetParam());
    const Outcome expected = alone(instance, search);
    for (int threads = 1; threads <= 5; ++threads) {
        EXPECT_EQ(make_farm(threads)->search(instance, search), expected) << threads;
    }
}

TEST_P(EveryBarrier, OpenMpTeamsOfAnySizeAndScheduleFindWhatOneThreadFinds) {
    const Instance instance = many_jobs(25);
    const Search search = small(GetParam());
    const Outcome expected = alone(instance, search);
    for (const omp_sched_t schedule : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
        omp_set_schedule(schedule, 1);
        for (int threads = 1; threads <= 5; ++threads) {
            EXPECT_EQ(make_team(threads)->search(instance, search), expected) << schedule << ' ' << threads;
        }
    }
}

TEST_P(EveryBarrier, MoreThreadsThanAntsAreNoProblem) {
    const Instance instance = many_jobs(10);
    Search search = small(GetParam());
    search.ants = 3;
    const Outcome expected = alone(instance, search);
    EXPECT_EQ(make_farm(7)->search(instance, search), expected);
    EXPECT_EQ(make_team(7)->search(instance, search), expected);
}

TEST_P(EveryBarrier, EveryAntIsCountedAtOneThread) {
    const Instance instance = many_jobs(25);
    const Search search = small(GetParam());
    for (const auto& make : {make_farm, make_team}) {
        const std::unique_ptr<Crew> crew = make(4);
        for (int i = 1; i <= 3; ++i) {
            crew->search(instance, search);
            EXPECT_EQ(ants_of(*crew), i * search.ants * search.iterations);
        }
        for (const ThreadWork& work : crew->work()) EXPECT_GE(work.cpu_s, 0.0);
    }
}

TEST(Farm, SharesItsAntsOutEvenly) {
    const Instance instance = many_jobs(10);
    const std::unique_ptr<Crew> crew = make_farm(4);
    crew->search(instance, small(Barrier::each));
    for (const ThreadWork& work : crew->work()) {
        EXPECT_GE(work.ants, 7 * 10);
        EXPECT_LE(work.ants, 8 * 10);
    }
}

TEST_P(EveryBarrier, OneCrewSearchesInstancesOfAnySizeOneAfterTheOther) {
    const Search search = small(GetParam());
    for (const auto& make : {make_farm, make_team}) {
        const std::unique_ptr<Crew> crew = make(3);
        for (const std::size_t jobs : {5U, 60U, 1U, 25U}) {
            const Instance instance = many_jobs(jobs);
            EXPECT_EQ(crew->search(instance, search), alone(instance, search)) << jobs;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Crew, EveryBarrier, testing::Values(Barrier::each, Barrier::none),
                         [](const auto& barrier) { return barrier.param == Barrier::each ? "each" : "none"; });

TEST(Farm, ReachesTheListedValueOfNamedInstances) {
    const Library library = load_library(ACO_DATA, "wt40");
    const std::unique_ptr<Crew> crew = make_farm(2);
    Search search;
    search.ants = 100;
    search.iterations = 100;
    for (const std::size_t number : {2U, 6U, 11U, 26U, 51U, 101U}) {
        EXPECT_EQ(crew->search(library.instances[number - 1], search).tardiness, library.listed[number - 1]) << number;
    }
}

}  // namespace
}  // namespace aco
