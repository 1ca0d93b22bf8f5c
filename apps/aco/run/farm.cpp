// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search.hpp"

#include "common/clock.hpp"
#include "common/range.hpp"
#include "islands.hpp"
#include "thread_pool.hpp"

#include <optional>

namespace aco {

namespace {

class Farm final : public Crew {
public:
    explicit Farm(int threads) : work_(static_cast<std::size_t>(threads)), pool_(threads) {}

    Outcome search(const Instance& instance, const Search& search) override {
        return search.barrier == Barrier::each ? together(instance, search) : apart(instance, search);
    }

    const std::vector<ThreadWork>& work() const override { return work_; }

private:
    /// Rooms of all threads, each made, and so first touched, by the thread that uses it.
    template <class Room, class Make>
    std::vector<std::optional<Room>> rooms(const Make& make) {
        std::vector<std::optional<Room>> rooms(work_.size());
        pool_.run([&](int thread) { make(rooms[static_cast<std::size_t>(thread)]); });
        return rooms;
    }

    /// Do work on all threads, and see what each of them has done. @param work  returns the number of ants
    template <class Work>
    void run_counted(const Work& work) {
        pool_.run([&](int thread) {
            const double before_s = apps::thread_cpu_s();
            ThreadWork& mine = work_[static_cast<std::size_t>(thread)];
            mine.wall_s += apps::seconds_of([&] { mine.ants += work(thread); });
            mine.cpu_s += apps::thread_cpu_s() - before_s;
        });
    }

    Outcome together(const Instance& instance, const Search& search);
    Outcome apart(const Instance& instance, const Search& search);

    std::vector<ThreadWork> work_;
    ThreadPool pool_;
};

Outcome Farm::together(const Instance& instance, const Search& search) {
    Colony colony(instance, search.seed, 0, search.ants);
    auto workspaces = rooms<Workspace>([&](std::optional<Workspace>& room) { room.emplace(instance.jobs()); });
    run_counted([&](int thread) {
        const apps::Range ants = apps::part_of(search.ants, thread, pool_.threads());
        Workspace& workspace = *workspaces[static_cast<std::size_t>(thread)];
        for (std::int64_t iteration = 0; iteration < search.iterations; ++iteration) {
            for (std::int64_t ant = ants.first; ant < ants.end; ++ant) {
                colony.make(ant, workspace);
                report_ant();
            }
            if (pool_.meet()) colony.end_iteration();
            pool_.meet();
        }
        return ants.size() * search.iterations;
    });
    return colony.outcome();
}

Outcome Farm::apart(const Instance& instance, const Search& search) {
    Islands islands(instance, search);
    auto islanders = rooms<Islander>([&](std::optional<Islander>& room) { room.emplace(instance, search); });
    run_counted([&](int thread) {
        const apps::Range mine = apps::part_of(search.colonies(), thread, pool_.threads());
        Islander& islander = *islanders[static_cast<std::size_t>(thread)];
        for (std::int64_t index = mine.first; index < mine.end; ++index) islands.run(index, islander);
        return mine.size() * search.colony * search.iterations;
    });
    return islands.merged();
}

}  // namespace

std::unique_ptr<Crew> make_farm(int threads) {
    return std::make_unique<Farm>(threads);
}

}  // namespace aco
