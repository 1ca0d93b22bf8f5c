// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/clock.hpp"
#include "islands.hpp"
#include "search.hpp"

#include <omp.h>

#include <cstddef>
#include <vector>

namespace aco {

namespace {

/// One iteration of a colony: one ant is one iteration of the loop. All cost about the same.
/// @param rooms  [threads]   @param work  [threads] where each ant is counted
void ants_loop(Colony& colony, std::vector<Workspace>& rooms, std::vector<ThreadWork>& work) {
    const int threads = static_cast<int>(rooms.size());
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (std::int64_t ant = 0; ant < colony.ants(); ++ant) {
        const auto me = static_cast<std::size_t>(omp_get_thread_num());
        colony.make(ant, rooms[me]);
        report_ant();
        ++work[me].ants;
    }
}

/// All iterations of all colonies: one colony is one iteration of the loop.
/// @param ants   that a colony makes in all iterations
void colonies_loop(Islands& islands, std::int64_t colonies, std::vector<Islander>& rooms, std::vector<ThreadWork>& work,
                   std::int64_t ants) {
    const int threads = static_cast<int>(rooms.size());
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (std::int64_t index = 0; index < colonies; ++index) {
        const auto me = static_cast<std::size_t>(omp_get_thread_num());
        islands.run(index, rooms[me]);
        work[me].ants += ants;
    }
}

class Team final : public Crew {
public:
    explicit Team(int threads) : work_(static_cast<std::size_t>(threads)) {}

    Outcome search(const Instance& instance, const Search& search) override {
        Outcome outcome;
        const double wall_s = apps::seconds_of(
            [&] { outcome = search.barrier == Barrier::each ? together(instance, search) : apart(instance, search); });
        for (ThreadWork& one : work_) one.wall_s += wall_s;
        return outcome;
    }

    const std::vector<ThreadWork>& work() const override { return work_; }

private:
    /// Add every thread's processor time, times a sign: minus before the work and plus after it.
    void count_cpu(double sign) {
        const int threads = static_cast<int>(work_.size());
#pragma omp parallel num_threads(threads)
        work_[static_cast<std::size_t>(omp_get_thread_num())].cpu_s += sign * apps::thread_cpu_s();
    }

    Outcome together(const Instance& instance, const Search& search) {
        Colony colony(instance, search.seed, 0, search.ants);
        std::vector<Workspace> rooms(work_.size(), Workspace(instance.jobs()));
        count_cpu(-1.0);
        for (std::int64_t iteration = 0; iteration < search.iterations; ++iteration) {
            ants_loop(colony, rooms, work_);
            colony.end_iteration();
        }
        count_cpu(1.0);
        return colony.outcome();
    }

    Outcome apart(const Instance& instance, const Search& search) {
        Islands islands(instance, search);
        std::vector<Islander> rooms(work_.size(), Islander(instance, search));
        count_cpu(-1.0);
        colonies_loop(islands, search.colonies(), rooms, work_, search.colony * search.iterations);
        count_cpu(1.0);
        return islands.merged();
    }

    std::vector<ThreadWork> work_;
};

}  // namespace

std::unique_ptr<Crew> make_team(int threads) {
    return std::make_unique<Team>(threads);
}

}  // namespace aco
