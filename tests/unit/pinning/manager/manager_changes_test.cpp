// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What changes while the manager runs: the machine, whether it places anybody, memory that it has bound.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gimbal/pin_settings.hpp"
#include "machine/affinity.hpp"
#include "machine/pu_list.hpp"
#include "manager_support.hpp"

namespace {
std::atomic<int> begins = 0;
std::atomic<int> ends = 0;
}  // namespace

// Instead of the core's.
extern "C" void gimbal_pin_begin(std::uint64_t (*)()) {
    ++begins;
}
extern "C" void gimbal_pin_end() {
    ++ends;
}

namespace gimbal::pin {
namespace {

using namespace test;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Something happens in its thread before each look.
class Prepared final : public Manager {
public:
    using Manager::Manager;
    std::function<void(int)> before;
    std::atomic<int> looks = 0;

protected:
    void sample() override {
        if (before) before(looks + 1);
        Manager::sample();
        ++looks;
    }
};

TEST_F(ManagerTest, WhoIsTakenJustAfterProcessorsWentAwayIsNotTakenForBound) {
    start(1, spin, true);
    const std::vector<int> first = {all_.front()};
    Prepared manager(config(Mode::fixed), registry_);
    std::atomic<bool> late = false;
    manager.before = [&](int look) {
        // The machine is read at every fifth look only.
        if (look % 5 != 2 || late || mask_of(team_[0]->tid()) != first) return;
        // As if the control group had lost a processor. Who is made now inherits what is left.
        (void)set_affinity(0, first);
        start(1, spin, true);
        team_.back()->record().routine = &late;  // not one that pthread_create() did not make
        late = true;
    };
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([&] { return late.load(); }));
    const int looks = manager.looks;
    EXPECT_TRUE(eventually([&] { return manager.looks > looks + 15; }));
    manager.stop();
    running.join();
    manager.finish();
    const auto figures = manager.figures();
    ASSERT_TRUE(figures);
    EXPECT_EQ(figures->threads.size(), 2U);
    for (const ThreadFigures& thread : figures->threads) EXPECT_EQ(thread.left, "");
    EXPECT_THAT(figures->warnings, Not(Contains(HasSubstr("bound"))));
}

TEST_F(ManagerTest, WhoMakesAThreadKeepsItsMaskUntilThatHasInheritedIt) {
    start(2, spin, true);
    team_[0]->record().making = 1;
    Prepared manager(config(Mode::fixed), registry_);
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([&] { return is_one(mask_of(team_[1]->tid())); }));
    const int looks = manager.looks;
    EXPECT_TRUE(eventually([&] { return manager.looks > looks + 5; }));
    EXPECT_EQ(mask_of(team_[0]->tid()), all_);
    team_[0]->record().making = 0;
    EXPECT_TRUE(eventually([&] { return is_one(mask_of(team_[0]->tid())); }));
    manager.stop();
    running.join();
    manager.finish();
}

TEST_F(ManagerTest, AReserveThatIsGivenUpLaterIsSaid) {
    start(1, spin, true);
    const std::vector<int> first = {all_.front()}, last = {all_.back()};
    PinConfig asked = config(Mode::fixed);
    asked.machine.reserve = without(all_, last);
    Prepared manager(asked, registry_);
    std::atomic<int> cut = 0;
    manager.before = [&](int look) {
        if (cut > 0 || mask_of(team_[0]->tid()) != last) return;
        (void)set_affinity(0, first);
        cut = look;
    };
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([&] { return cut > 0 && manager.looks > cut + 10; }));
    manager.stop();
    running.join();
    manager.finish();
    ASSERT_TRUE(manager.figures());
    EXPECT_THAT(manager.figures()->warnings, Contains(HasSubstr("only reserved processors are left")));
}

TEST_F(ManagerTest, LoopsHearThatPlacementLearnsNoMoreWhereItOnlyObserves) {
    start(2, spin, true);
    ends = 0;
    setenv("OMP_PROC_BIND", "close", 1);
    Manager manager(config(Mode::learn), registry_);
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([] { return ends > 0; }));
    unsetenv("OMP_PROC_BIND");
    manager.stop();
    running.join();
    manager.finish();
}

TEST_F(ManagerTest, LoopsHearWhetherThereIsAnybodyToPlace) {
    start(2, spin, true);
    for (const auto& one : team_) ASSERT_EQ(set_affinity(one->tid(), std::vector<int>{all_.front()}), 0);
    begins = ends = 0;
    Prepared manager(config(Mode::learn), registry_);
    std::thread running([&] { manager.run(); });
    EXPECT_TRUE(eventually([] { return ends == 1; })) << "all have bound themselves";
    EXPECT_EQ(begins, 0) << "they were told so when the library was loaded";
    start(1, spin, true);
    EXPECT_TRUE(eventually([] { return begins == 1; }));
    const int looks = manager.looks;
    EXPECT_TRUE(eventually([&] { return manager.looks > looks + 5; }));
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(begins, 1) << "once";
    const int other = mask_of(team_.back()->tid()).front() == all_.front() ? all_.back() : all_.front();
    ASSERT_EQ(set_affinity(team_.back()->tid(), std::vector<int>{other}), 0);
    EXPECT_TRUE(eventually([] { return ends == 2; })) << "it has bound itself, too";
    manager.stop();
    running.join();
    manager.finish();
}

TEST_F(ManagerTest, WhenItGivesUpLoopsHearOfItAndMemoryIsNobodysAnyMore) {
    start(2, spin, true);
    Failing manager(config(Mode::learn), registry_);
    manager.fail = [] { throw std::runtime_error("broken by the test"); };
    ends = 0;
    std::thread running([&] { manager.run(); });
    wait_ms(200);
    EXPECT_EQ(ends, 0) << "it still learns";
    for (const auto& one : team_) {
        const std::lock_guard lock(registry_.mutex());
        one->record().bound = true;
    }
    manager.after = 0;
    running.join();
    EXPECT_GE(ends, 1);
    for (const auto& one : team_) {
        EXPECT_FALSE(one->record().bound);
        EXPECT_EQ(one->record().wants_memory.load(), kUnbind) << "its own policy, at its next progress";
    }
    manager.finish();
}

}  // namespace
}  // namespace gimbal::pin
