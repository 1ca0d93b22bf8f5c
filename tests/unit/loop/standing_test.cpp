// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions that a team's workers find by themselves, as the patched libomp has them do it.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "gimbal/known_loops.h"
#include "gimbal/schedule.hpp"
#include "loop/left_loop.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "team.hpp"

namespace {

using gimbal::find_site;
using gimbal::test::loop_desc;

constexpr std::uint64_t kMaxTrip = 4000;

/// Waits without sleeping: the loops in between are to be short, as they are in a program.
class Meeting {
public:
    explicit Meeting(std::uint32_t workers) : workers_(workers) {}
    void wait() {
        const std::uint32_t turn = turn_.load();
        if (come_.fetch_add(1) + 1 == workers_) {
            come_ = 0;
            turn_.fetch_add(1);
            return;
        }
        for (int spins = 0; turn_.load() == turn; ++spins)
            if (spins > 1000) std::this_thread::yield();
    }

private:
    std::uint32_t workers_;
    std::atomic<std::uint32_t> come_ = 0, turn_ = 0;
};

/// A team that begins one region after the other, with a loop in each: who comes first opens it, unless all find it.
class Team {
public:
    explicit Team(std::uint32_t workers) : workers_(workers), ran_(kMaxTrip) {}

    /// @param next  the loop of the region of that number; at most kMaxTrip iterations
    void run(int regions, const std::function<gimbal_loop_desc(int)>& next) {
        Meeting meeting(workers_);
        gimbal::test::run_team(workers_, [&](std::uint32_t worker) {
            for (int i = 0; i < regions; ++i) {
                meeting.wait();  // fork
                const gimbal_loop_desc desc = of_region(i, next(i));
                play(worker, desc);
                meeting.wait();  // join
                if (worker == 0) check(desc);
            }
        });
        first_ += static_cast<std::uint64_t>(regions);
    }

    /// The same, one thread being all workers: nobody waits, so the loops are short whatever else the machine does.
    void run_alone(int regions, const std::function<gimbal_loop_desc(int)>& next) {
        for (int i = 0; i < regions; ++i) {
            const gimbal_loop_desc desc = of_region(i, next(i));
            std::vector<gimbal_share> shares(workers_);
            std::vector<void*> executions(workers_);
            for (std::uint32_t worker = 0; worker < workers_; ++worker) {
                executions[worker] = find_or_open(worker, desc);
                gimbal_loop_begin(executions[worker], worker, &shares[worker]);
            }
            for (gimbal_share& share : shares) draw(share);
            for (std::uint32_t worker = 0; worker < workers_; ++worker) leave(executions[worker], shares[worker]);
            check(desc);
        }
        first_ += static_cast<std::uint64_t>(regions);
    }

    [[nodiscard]] int opened() const noexcept { return opened_.load(); }
    /// Of the first worker, in the last execution [iterations].
    [[nodiscard]] std::uint64_t first_chunk() const noexcept { return first_chunk_; }
    [[nodiscard]] std::uint64_t executions() const noexcept { return executions_; }
    [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }

private:
    gimbal_loop_desc of_region(int i, gimbal_loop_desc desc) const {
        desc.team = this;
        desc.workers = workers_;
        desc.moment += (first_ + static_cast<std::uint64_t>(i)) << 32U;
        return desc;
    }

    void play(std::uint32_t worker, const gimbal_loop_desc& desc) {
        void* const execution = find_or_open(worker, desc);
        gimbal_share share{};
        gimbal_loop_begin(execution, worker, &share);
        draw(share);
        leave(execution, share);
    }

    void* find_or_open(std::uint32_t worker, const gimbal_loop_desc& desc) {
        gimbal_known_loop* const found = gimbal_known_find(table_, &desc);
        void* const standing = found ? gimbal_known_execution(found, &desc, worker == 0) : nullptr;
        EXPECT_EQ(found == nullptr, standing == nullptr) << "left";
        if (standing) found_.fetch_add(1);
        return standing ? standing : open(desc);
    }

    void draw(gimbal_share& share) {
        std::uint64_t first = 0, end = 0;
        while (share.fast ? gimbal_share_next(&share, &first, &end) : gimbal_loop_next(&share, &first, &end)) {
            for (std::uint64_t k = first; k < end; ++k) ran_[k].fetch_add(1, std::memory_order_relaxed);
            if (share.worker == 0 && share.chunks == 1) first_chunk_ = end - first;
        }
    }

    void leave(void* execution, gimbal_share& share) {
        gimbal_loop_leave(&share);
        if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 != workers_) return;
        slot_.store(nullptr, std::memory_order_relaxed);
        done_.store(0, std::memory_order_relaxed);
        gimbal_loop_close(execution);
    }

    void* open(const gimbal_loop_desc& desc) {
        void* execution = nullptr;
        if (slot_.compare_exchange_strong(execution, this, std::memory_order_acquire)) {
            ++opened_;
            execution = gimbal_loop_open(&desc);
            slot_.store(execution, std::memory_order_release);
            return execution;
        }
        while ((execution = slot_.load(std::memory_order_acquire)) == this) std::this_thread::yield();
        return execution;
    }

    void check(const gimbal_loop_desc& desc) {
        const std::uint32_t found = found_.exchange(0);
        EXPECT_TRUE(found == 0 || found == workers_) << "some found it, others did not";
        for (std::uint64_t k = 0; k < kMaxTrip; ++k)
            ASSERT_EQ(ran_[k].exchange(0), k < desc.trip ? 1 : 0) << k << " of " << desc.trip;
        ++executions_;
        iterations_ += desc.trip;
    }

    gimbal_known_table* table_ = gimbal_known_loops();
    std::uint32_t workers_;
    std::vector<std::atomic<int>> ran_;
    std::atomic<void*> slot_ = nullptr;
    std::atomic<std::uint32_t> done_ = 0;
    std::atomic<std::uint32_t> found_ = 0;
    std::atomic<int> opened_ = 0;
    std::uint64_t first_ = 1;
    std::uint64_t first_chunk_ = 0;
    std::uint64_t executions_ = 0;
    std::uint64_t iterations_ = 0;
};

class Standing : public ::testing::Test {
protected:
    void SetUp() override { gimbal::forget_left_loops(); }

    /// Loop `number` of a region.
    static gimbal_loop_desc loop(std::uintptr_t code, const char* schedule, std::uint64_t trip,
                                 std::uint32_t number = 1) {
        gimbal_loop_desc desc = loop_desc(code, trip, 0, gimbal::intern(gimbal::parse_schedule(schedule)));
        desc.region = reinterpret_cast<const void*>(code & ~std::uintptr_t{0xf});
        desc.moment = number;
        desc.can_stand = 1;
        return desc;
    }
    static void expect_sums(gimbal_loop_desc desc, std::uint32_t workers, std::uint64_t calls,
                            std::uint64_t iterations) {
        desc.workers = workers;
        gimbal::test::expect_sums(desc, calls, iterations);
    }
};

TEST_F(Standing, ASteadyLoopIsOpenedOnceInManyExecutions) {
    constexpr int kRegions = 2000;
    std::uintptr_t code = 0x10000;
    // fac measures iterations in every sixteenth execution, which is learnt from at once.
    for (const char* schedule : {"static", "ss,3", "gss", "fac2", "awf-b", "af", "static-steal", "lws", "fac"}) {
        Team team(3);
        const auto desc = loop(code += 0x10, schedule, 64);
        team.run_alone(kRegions, [&](int) { return desc; });
        EXPECT_LT(team.opened(), kRegions / 2) << schedule;
        expect_sums(desc, 3, kRegions, kRegions * desc.trip);
    }
}

TEST_F(Standing, ATeamRunsEveryIterationOnce) {
    constexpr int kRegions = 2000;
    std::uintptr_t code = 0x18000;
    for (const char* schedule : {"static", "ss,3", "gss", "awf-b", "static-steal", "auto"}) {
        Team team(2);
        const auto desc = loop(code += 0x10, schedule, 64);
        team.run(kRegions, [&](int) { return desc; });
        expect_sums(desc, 2, kRegions, kRegions * desc.trip);
    }
}

TEST_F(Standing, WhoDoesNotLookOrMayMissALoopOpensEach) {
    Team team(2);
    auto desc = loop(0x20000, "gss", 64);
    desc.can_stand = 0;
    team.run_alone(300, [&](int) { return desc; });
    EXPECT_EQ(team.opened(), 300);
}

// Each execution runs what its team asks for, whatever stood before.
TEST_F(Standing, AnythingMayChangeFromOneRegionToTheNext) {
    constexpr int kRegions = 3000;
    std::minstd_rand draw(7);
    const std::vector<gimbal_loop_desc> loops = {
        loop(0x30000, "gss", 64),          loop(0x30000, "gss", 65),        loop(0x30000, "gss", 2000),
        loop(0x30000, "ss,3", 64),         loop(0x30000, "gss", 64, 2),     loop(0x30001, "gss", 64),
        loop(0x30000, "static-steal", 64), loop(0x30000, "feedback", 2000), loop(0x30000, "auto", 2000)};
    std::vector<gimbal_loop_desc> sequence;
    gimbal_loop_desc now = loops.front();
    while (sequence.size() < kRegions) {
        if (draw() % 20 == 0) now = loops[draw() % loops.size()];
        if (draw() % 50 == 0) now.monotonic = 1 - now.monotonic;
        if (draw() % 50 == 0) now.can_stand = 1 - now.can_stand;
        sequence.push_back(now);
    }
    Team team(2), other(2);
    std::thread beside(
        [&] { other.run(kRegions, [&](int i) { return sequence[kRegions - 1 - static_cast<std::size_t>(i)]; }); });
    team.run(kRegions, [&](int i) { return sequence[static_cast<std::size_t>(i)]; });
    beside.join();
    std::uint64_t calls = 0, iterations = 0;
    for (const std::uintptr_t code : {0x30000U, 0x30001U}) {
        auto desc = loop(code, "gss", 64);
        desc.workers = 2;
        const gimbal::LoopSummary all = find_site(desc)->summary(1e-9, 0);
        calls += all.calls;
        iterations += all.iterations;
    }
    EXPECT_EQ(calls, team.executions() + other.executions());
    EXPECT_EQ(iterations, team.iterations() + other.iterations());
}

// Two loops of one number, as in `if (a) loop else loop`.
TEST_F(Standing, ANumberThatIsNowOneLoopsAndNowAnothersIsGivenUp) {
    const auto one = loop(0x40000, "gss", 64), another = loop(0x40001, "gss", 64);
    Team team(2);
    team.run_alone(400, [&](int) { return one; });
    ASSERT_LT(team.opened(), 300);
    team.run_alone(1, [&](int) { return another; });
    const int before = team.opened();
    team.run_alone(100, [&](int i) { return i % 2 == 0 ? one : another; });
    EXPECT_GE(team.opened(), before + 99) << "all but the one that its team was to enter";
}

TEST_F(Standing, ReportsMeanwhileLoseNothing) {
    constexpr int kRegions = 3000;
    auto desc = loop(0x50000, "fac2", 100);
    desc.workers = 2;
    Team team(2);
    std::atomic<bool> over = false;
    std::thread reader([&] {
        std::uint64_t before = 0;
        while (!over.load()) {
            gimbal::LoopSite* const site = find_site(desc);
            site->catch_up();
            const std::uint64_t calls = site->brief_summary(1e-9, 0).calls;
            EXPECT_GE(calls, before);
            before = calls;
            std::this_thread::yield();
        }
    });
    team.run(kRegions, [&](int) { return desc; });
    over = true;
    reader.join();
    expect_sums(desc, 2, kRegions, kRegions * desc.trip);
}

TEST_F(Standing, ALoopWhoseSettingsTheProgramChangesStandsNoMore) {
    auto desc = loop(0x60000, "lws", 100);
    desc.workers = 2;
    Team team(2);
    team.run_alone(500, [&](int) { return desc; });
    ASSERT_LT(team.opened(), 400);
    const int before = team.opened();
    find_site(desc)->set_static_fraction(0.24);
    team.run_alone(100, [&](int) { return desc; });
    EXPECT_GE(team.opened(), before + 99) << "all but the one that its team was to enter";
    EXPECT_DOUBLE_EQ(find_site(desc)->static_fraction(), 0.24);
    expect_sums(desc, 2, 600, 600 * desc.trip);
}

TEST_F(Standing, ASettingCountsFromTheExecutionAfterThatWhichItsTeamWasToEnter) {
    auto desc = loop(0x60010, "lws", 100);
    desc.workers = 2;
    Team team(2);
    team.run_alone(500, [&](int) { return desc; });
    ASSERT_LT(team.opened(), 400);
    for (const double fraction : {0.24, 1.0}) {
        find_site(desc)->set_static_fraction(fraction);
        if (fraction < 1) team.run_alone(1, [&](int) { return desc; });
        team.run_alone(1, [&](int) { return desc; });
        EXPECT_DOUBLE_EQ(static_cast<double>(team.first_chunk()), 50 * fraction);
    }
}

}  // namespace
