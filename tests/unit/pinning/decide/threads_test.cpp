// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that come and go, processors that come and go: always placed, never outside of what is allowed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "decide/placer.hpp"
#include "gimbal/error.hpp"

namespace gimbal::pin {
namespace {

/// Follows what a placer says and checks that it names only processors of its machine.
class Follower {
public:
    explicit Follower(Placer& placer) : placer_(placer) {}

    void take(const Decision& decision) {
        if (decision.released) {
            EXPECT_TRUE(decision.pus.empty());
            at_[decision.thread] = {};
            return;
        }
        EXPECT_FALSE(decision.pus.empty());
        for (const int pu : decision.pus) EXPECT_TRUE(placer_.machine().has(pu));
        at_[decision.thread] = decision.pus;
    }
    void take(const std::vector<Decision>& decisions) {
        for (const Decision& decision : decisions) take(decision);
    }
    void forget(ThreadId id) { at_.erase(id); }

    /// Every thread stands where it was last told to, and that is still allowed.
    void check() const {
        for (const auto& [id, pus] : at_) {
            EXPECT_EQ(placer_.standing(id).pus, pus);
            for (const int pu : pus) ASSERT_TRUE(placer_.machine().has(pu));
        }
    }
    [[nodiscard]] const std::map<ThreadId, std::vector<int>>& at() const { return at_; }

private:
    Placer& placer_;
    std::map<ThreadId, std::vector<int>> at_;
};

Settings lively(bool guard) {
    Settings settings;
    settings.guard = guard;
    settings.guard_window = 4;
    settings.guard_rest = 2;
    settings.rl_lambda = 0.2;
    settings.al_lambda = 0.1;
    settings.al_dwell = 3;
    settings.bind_memory = true;
    settings.zeta = 0;
    return settings;
}

void storm(bool guard, bool shuffle) {
    Settings settings = lively(guard);
    settings.reshuffle = shuffle;
    const Place machine = uniform_machine(2, 4, 2);
    Placer placer(settings, MachineView(machine), 9);
    Follower follower(placer);
    Random random(4);
    std::set<ThreadId> alive;
    ThreadId next = 0;
    for (int tick = 0; tick < 1500; ++tick) {
        for (int i = 0; i < 3; ++i) {
            if (random.chance(0.5) || alive.empty()) {
                follower.take(placer.join(next));
                alive.insert(next++);
            } else {
                const auto gone = std::next(alive.begin(), static_cast<std::ptrdiff_t>(random.next() % alive.size()));
                placer.leave(*gone);
                follower.forget(*gone);
                alive.erase(gone);
            }
        }
        if (random.chance(0.02)) {
            std::vector<int> allowed;
            for (int pu = 0; pu < 16; ++pu) {
                if (random.chance(0.4)) allowed.push_back(pu);
            }
            if (!allowed.empty()) follower.take(placer.machine_changed(MachineView(machine, allowed)));
            follower.check();
        }
        std::vector<Sample> samples;
        for (const ThreadId id : alive)
            samples.push_back({id, random.chance(0.1) ? 0 : 0.1 + random.unit(), random.chance(0.9)});
        follower.take(placer.tick(samples));
        follower.check();
    }
    EXPECT_EQ(placer.threads().size(), alive.size());
}

TEST(PinThreads, ComeAndGoWhileProcessorsComeAndGo) {
    storm(false, false);
    storm(true, false);
    storm(false, true);
}

TEST(PinThreads, AThreadOnAProcessorThatWentAwayIsMovedAtOnceAndTheOthersStay) {
    Settings settings;
    settings.guard = false;
    const Place machine = uniform_machine(2, 2);
    Placer placer(settings, MachineView(machine), 1);
    for (ThreadId id = 0; id < 4; ++id) placer.join(id);
    const std::vector<int> allowed = {1, 2, 3};
    const std::vector<Decision> decisions = placer.machine_changed(MachineView(machine, allowed));
    ASSERT_EQ(decisions.size(), 1u);
    EXPECT_EQ(decisions[0].thread, 0u);
    EXPECT_EQ(decisions[0].why, Why::machine);
    EXPECT_EQ(decisions[0].pus, std::vector<int>{1});
    EXPECT_TRUE(placer.machine_changed(MachineView(machine)).empty());
}

// Nobody would move them later; who learns finds out by itself.
TEST(PinThreads, StaticThreadsSpreadAgainWhenProcessorsComeBack) {
    Settings settings;
    settings.mode = Mode::fixed;
    const Place machine = uniform_machine(1, 4);
    Placer placer(settings, MachineView(machine), 1);
    std::map<ThreadId, std::vector<int>> at;
    for (ThreadId id = 0; id < 6; ++id) at[id] = placer.join(id).pus;
    const auto follow = [&](const std::vector<Decision>& decisions) {
        for (const Decision& decision : decisions) at[decision.thread] = decision.pus;
    };
    const auto on = [&](int pu) {
        return std::count_if(at.begin(), at.end(), [pu](const auto& entry) { return entry.second.front() == pu; });
    };
    const std::vector<int> allowed = {1, 2};
    follow(placer.machine_changed(MachineView(machine, allowed)));
    for (const int pu : allowed) EXPECT_EQ(on(pu), 3);
    follow(placer.machine_changed(MachineView(machine)));
    for (int pu = 0; pu < 4; ++pu) EXPECT_NEAR(static_cast<double>(on(pu)), 1.5, 0.5) << pu;
    EXPECT_TRUE(placer.machine_changed(MachineView(machine)).empty()) << "they stay where they are";
}

TEST(PinThreads, AGroupThatShrinksIsSaidAgain) {
    Settings settings;
    settings.guard = false;
    settings.group = 2;
    const Place machine = uniform_machine(1, 4);
    Placer placer(settings, MachineView(machine), 1);
    EXPECT_EQ(placer.join(0).pus, (std::vector<int>{0, 1}));
    const std::vector<int> allowed = {1, 2, 3};
    const std::vector<Decision> decisions = placer.machine_changed(MachineView(machine, allowed));
    ASSERT_EQ(decisions.size(), 1u);
    EXPECT_EQ(decisions[0].pus, (std::vector<int>{1, 2}));
}

TEST(PinThreads, FourNodesAreAllUsed) {
    Settings settings;
    settings.guard = false;
    Placer placer(settings, MachineView(uniform_machine(4, 2)), 1);
    std::set<int> pus;
    for (ThreadId id = 0; id < 8; ++id) pus.insert(placer.join(id).pus.front());
    EXPECT_EQ(pus.size(), 8u);
}

TEST(PinThreads, AThousandOfThem) {
    Placer placer(lively(false), MachineView(uniform_machine(2, 16)), 1);
    Follower follower(placer);
    std::vector<Sample> samples;
    for (ThreadId id = 0; id < 1000; ++id) {
        follower.take(placer.join(id));
        samples.push_back({id, 1 + static_cast<double>(id % 7), true});
    }
    for (int tick = 0; tick < 40; ++tick) follower.take(placer.tick(samples));
    follower.check();
    EXPECT_EQ(follower.at().size(), 1000u);
}

TEST(PinThreads, FinishedThreadsLeaveTheirPlace) {
    Settings settings;
    settings.guard = false;
    Placer placer(settings, MachineView(uniform_machine(1, 2)), 1);
    placer.join(0);
    placer.join(1);
    placer.leave(0);
    EXPECT_EQ(placer.join(2).pus, std::vector<int>{0});
}

}  // namespace
}  // namespace gimbal::pin
