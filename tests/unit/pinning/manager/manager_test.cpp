// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/manager.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gimbal/loop.h"
#include "gimbal/pin_settings.hpp"
#include "machine/affinity.hpp"
#include "manager_support.hpp"
#include "support.hpp"

namespace {
std::uint64_t schedule_changes = 0;
}

// Instead of the core's.
extern "C" std::uint64_t gimbal_pin_schedules() {
    return schedule_changes;
}

namespace gimbal::pin {
namespace {

using namespace test;
using testing::Contains;
using testing::HasSubstr;

/// Tells what it would learn from.
class Judging final : public Manager {
public:
    using Manager::is_of_one_schedule;
    using Manager::Manager;
};

TEST_F(ManagerTest, PeriodsInWhichALoopGetsAnotherScheduleTeachNothingButOneInThree) {
    Judging manager(config(Mode::learn), registry_);
    (void)manager.is_of_one_schedule();
    EXPECT_TRUE(manager.is_of_one_schedule());
    ++schedule_changes;
    EXPECT_FALSE(manager.is_of_one_schedule());
    EXPECT_TRUE(manager.is_of_one_schedule());
    std::vector<bool> counts;
    for (int period = 0; period < 6; ++period) {
        ++schedule_changes;
        counts.push_back(manager.is_of_one_schedule());
    }
    EXPECT_EQ(counts, (std::vector<bool>{false, false, true, false, false, true}));
}

TEST_F(ManagerTest, WhatGoesWrongInALookGivesAllMasksBackAndTheProgramGoesOn) {
    const std::function<void()> failures[] = {[] { throw std::runtime_error("broken by the test"); },
                                              [] { throw std::bad_alloc(); }};
    for (const auto& failure : failures) {
        start(3);
        Failing manager(config(Mode::fixed), registry_);
        manager.fail = failure;
        std::thread running([&] { manager.run(); });
        EXPECT_TRUE(eventually([&] { return all_have(team_, is_one); }));
        manager.after = 0;
        running.join();  // by itself: nobody calls stop()
        EXPECT_TRUE(all_have(team_, [&](const std::vector<int>& mask) { return mask == all_; }));
        manager.finish();
        const auto figures = manager.figures();
        ASSERT_TRUE(figures);
        EXPECT_THAT(figures->warnings, Contains(HasSubstr("given up: ")));
        team_.clear();
    }
}

TEST_F(ManagerTest, AFailureBeforeAnybodyIsPlacedIsNoMoreThanThat) {
    start(2);
    Failing manager(config(Mode::fixed), registry_);
    manager.fail = [] { throw std::runtime_error("at once"); };
    manager.after = 0;
    manager.run();
    manager.finish();
    EXPECT_FALSE(manager.figures());
    EXPECT_TRUE(all_have(team_, [&](const std::vector<int>& mask) { return mask == all_; }));
}

void end_without_complaint(Manager& manager, std::thread& running) {
    manager.stop();
    running.join();
    manager.finish();
    const auto figures = manager.figures();
    ASSERT_TRUE(figures);
    EXPECT_EQ(figures->warnings, std::vector<std::string>{});
    for (const ThreadFigures& thread : figures->threads) EXPECT_EQ(thread.left, "");
}

/// What a thread does that starts a program.
void put_own_mask_back(Registry& registry, const Known& one) {
    const std::lock_guard lock(registry.mutex());
    ASSERT_EQ(set_affinity(one.tid(), one.record().own_mask), 0);
    one.record().aside.fetch_add(1);
}

TEST_F(ManagerTest, WhoMakesAChildIsLeftAloneMeanwhileAndPlacedAgainAfterwards) {
    start(2, test::spin, true);
    Manager manager(config(Mode::fixed), registry_);
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([&] { return all_have(team_, is_one); }));
    put_own_mask_back(registry_, *team_[0]);
    test::wait_ms(200);
    EXPECT_EQ(mask_of(team_[0]->tid()), all_);
    team_[0]->record().aside.fetch_sub(1);  // the lock could not be had: its mask is still its own
    EXPECT_TRUE(eventually([&] { return all_have(team_, is_one); }));
    end_without_complaint(manager, running);
}

// As OpenMP runtimes do when they end, to the thread that ends them.
TEST_F(ManagerTest, AMaskThatIsSetBackToWhatItWasIsNobodysWish) {
    start(2, test::spin, true);
    Manager manager(config(Mode::fixed), registry_);
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([&] { return all_have(team_, is_one); }));
    EXPECT_EQ(set_affinity(team_[0]->tid(), all_), 0);
    EXPECT_TRUE(eventually([&] { return all_have(team_, is_one); }));
    end_without_complaint(manager, running);
    EXPECT_TRUE(all_have(team_, [&](const std::vector<int>& mask) { return mask == all_; }));
}

TEST_F(ManagerTest, WhatTheProgramHasSetStaysWhereThatIsWhatItWasGivenAndWhenTheThreadOrPlacementEnds) {
    start(3, test::spin, true);
    Manager manager(config(Mode::fixed), registry_);
    std::thread running([&] { manager.run(); });
    ASSERT_TRUE(eventually([&] { return all_have(team_, is_one); }));
    std::vector<std::vector<int>> wishes;
    for (const auto& one : team_) {
        wishes.push_back(mask_of(one->tid()));
        const std::lock_guard lock(registry_.mutex());
        registry_.note_set(one->tid(), wishes.back(), wishes.back());
        EXPECT_TRUE(one->record().own_mask.empty()) << "its children inherit what the program has set";
        if (one == team_[1]) one->record().left = true;  // gimbal_pin_unregister()
        if (one == team_[2]) registry_.note_set(one->tid(), wishes.back(), all_);
    }
    ASSERT_EQ(set_affinity(team_[2]->tid(), all_), 0);
    test::wait_ms(200);
    EXPECT_TRUE(eventually([&] { return is_one(mask_of(team_[2]->tid())); })) << "set back, so nobody's wish";
    manager.stop();
    running.join();
    manager.finish();
    EXPECT_EQ(mask_of(team_[0]->tid()), wishes[0]);
    EXPECT_EQ(mask_of(team_[1]->tid()), wishes[1]);
    EXPECT_EQ(mask_of(team_[2]->tid()), all_);
}

TEST_F(ManagerTest, WhoMakesAChildWhenPlacementEndsKeepsItsOwnMask) {
    start(2, test::spin, true);
    Failing manager(config(Mode::fixed), registry_);
    manager.fail = [] { throw std::runtime_error("broken by the test"); };
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([&] { return all_have(team_, is_one); }));
    put_own_mask_back(registry_, *team_[0]);
    manager.after = 0;
    running.join();
    EXPECT_TRUE(all_have(team_, [&](const std::vector<int>& mask) { return mask == all_; }));
    EXPECT_TRUE(team_[0]->record().given_mask.empty()) << "else it would go back there";
    team_[0]->record().aside.fetch_sub(1);
    manager.finish();
}

TEST_F(ManagerTest, ThreadsThatComeAndGoEvery10msDisturbNobody) {
    start(2);
    Manager manager(config(Mode::learn), registry_);
    std::thread running([&] { manager.run(); });
    for (int round = 0; round < 150; ++round) {
        const Known one(registry_, test::spin), other(registry_, test::nap);
        test::wait_ms(10);
    }
    manager.stop();
    running.join();
    manager.finish();
    EXPECT_TRUE(all_have(team_, [&](const std::vector<int>& mask) { return mask == all_; }));
    const auto figures = manager.figures();
    ASSERT_TRUE(figures);
    EXPECT_GE(figures->threads.size(), 2U);
    EXPECT_EQ(figures->warnings, std::vector<std::string>{});
}

TEST_F(ManagerTest, AThousandThreadsArePlacedAndGivenBack) {
    constexpr std::size_t kThreads = 1000;
    const auto sleep = [] { test::wait_ms(100); };
    start(kThreads, sleep, true);  // they ask for it: who sleeps is not taken for somebody who computes
    Manager manager(config(Mode::fixed), registry_);
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([&] { return all_have(team_, is_one); }));
    manager.stop();
    running.join();
    manager.finish();
    EXPECT_TRUE(all_have(team_, [&](const std::vector<int>& mask) { return mask == all_; }));
}

/// A team of two draws chunks of one loop after the other, and tells nobody.
void loop_forever(const gimbal_loop_desc& desc) {
    gimbal_share share{};
    std::uint64_t first = 0, end = 0;
    void* const execution = gimbal_loop_open(&desc);
    gimbal_loop_begin(execution, 0, &share);
    for (int chunk = 0; chunk < 20 && gimbal_loop_next(&share, &first, &end); ++chunk) test::spin();
    if (!gimbal_loop_end(&share)) gimbal_loop_drop(execution);
}

/// A loop of a team of two, every iteration a chunk.
gimbal_loop_desc loop_of_two() {
    static const char code = 0;  // where it is in the program: the same loop for both
    gimbal_loop_desc desc{};
    desc.code = &code;
    desc.trip = 100;
    desc.unit = 1;
    desc.workers = 2;
    desc.schedule = gimbal_schedule_parse("ss");
    return desc;
}

/// @return of a manager that has run for so long [ms]; halfway is called in the middle
std::optional<Figures> observed(Registry& registry, int milliseconds, const std::function<void()>& halfway) {
    Manager manager(config(Mode::observe), registry);
    std::thread running([&] { manager.run(); });
    test::wait_ms(milliseconds / 2);
    halfway();
    test::wait_ms(milliseconds / 2);
    manager.stop();
    running.join();
    manager.finish();
    return manager.figures();
}

bool are_all_measured(const Figures& figures) {
    return figures.threads.size() == 2 && std::all_of(figures.threads.begin(), figures.threads.end(),
                                                      [](const ThreadFigures& thread) { return thread.speed() > 0; });
}

// A machine that is busy needs longer.
constexpr int kObserved_ms[] = {1500, 7500, 22500};

TEST_F(ManagerTest, ThreadsInGimbalsLoopsAreMeasuredByTheirIterations) {
    const gimbal_loop_desc desc = loop_of_two();
    std::optional<Figures> figures;
    for (const int milliseconds : kObserved_ms) {
        team_.clear();
        start(2, [desc] { loop_forever(desc); });
        figures = observed(registry_, milliseconds, [] {});
        if (figures && figures->metric == "progress" && are_all_measured(*figures)) break;
    }
    ASSERT_TRUE(figures);
    EXPECT_EQ(figures->metric, "progress");
    EXPECT_THAT(figures->unit, HasSubstr("first pace"));
    ASSERT_EQ(figures->threads.size(), 2U);
    for (const ThreadFigures& thread : figures->threads) EXPECT_GT(thread.speed(), 0);
}

TEST_F(ManagerTest, WhoCountsItselfIsBelievedRatherThanItsLoops) {
    const gimbal_loop_desc desc = loop_of_two();
    std::optional<Figures> figures;
    for (const int milliseconds : kObserved_ms) {
        std::atomic<bool> tells = false;
        std::vector<RecordPointer> records(2);
        std::vector<std::unique_ptr<test::Repeating>> team;
        for (RecordPointer& record : records)
            team.push_back(std::make_unique<test::Repeating>(
                [&, desc] {
                    loop_forever(desc);
                    if (!tells) return;
                    record->progress += 1;
                    record->counts = true;
                },
                [&] { record = registry_.add_self(false); }, [&] { registry_.end(*record); }));
        figures = observed(registry_, milliseconds, [&] { tells = true; });
        if (figures && figures->unit == "progress/s") break;
    }
    ASSERT_TRUE(figures);
    EXPECT_EQ(figures->metric, "progress");
    EXPECT_EQ(figures->unit, "progress/s");
}

}  // namespace
}  // namespace gimbal::pin
