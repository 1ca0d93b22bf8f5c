// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/joint_placement.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace gimbal::pin {
namespace {

/// Cores without nodes, hogs on some of them, and threads of ours that see what is left.
struct Scripted {
    explicit Scripted(std::vector<double> rivals, std::size_t group = 1)
        : hogs(std::move(rivals)),
          machine(uniform_machine(1, static_cast<int>(hogs.size()))),
          tree(machine, levels, group),
          occupancy(tree),
          expected(tree, occupancy, settings) {}

    void put(std::vector<int> threads) {
        for (std::size_t i = 0; i < threads.size(); ++i)
            for (int n = 0; n < threads[i]; ++n) occupancy.add(tree.leaves()[i], 1);
    }
    void look(int ticks, double whole = 1) {
        for (int tick = 0; tick < ticks; ++tick) {
            expected.begin(++now);
            for (std::size_t i = 0; i < hogs.size(); ++i) {
                const int n = occupancy.own(tree.leaves()[i]);
                const double share = std::min(1.0, 1 / (n + hogs[i]));
                for (int thread = 0; thread < n; ++thread) expected.add_share(tree.leaves()[i], whole * share, share);
            }
            expected.close();
        }
    }
    [[nodiscard]] std::vector<int> plan(double gain = 0.02) const {
        const std::vector<int> all = best_split(tree, occupancy, expected, gain);
        if (all.empty()) return {};
        std::vector<int> plan;
        for (const ChoiceId leaf : tree.leaves()) plan.push_back(all[leaf]);
        return plan;
    }

    std::vector<double> hogs;
    std::vector<Level> levels = {Level::core};
    MachineView machine;
    ChoiceTree tree;
    Occupancy occupancy;
    Settings settings;
    ExpectedSpeeds expected;
    std::uint64_t now = 0;
};

TEST(PinJointPlacement, BesideHogsAllButOneOfSixGoWhereThereIsSomethingToTake) {
    Scripted scripted({3, 0});
    scripted.put({2, 4});
    scripted.look(10);
    EXPECT_EQ(scripted.plan(), (std::vector<int>{5, 1}));
}

TEST(PinJointPlacement, WhatStandsIsKeptIfItIsNearlyAsGood) {
    Scripted scripted({3, 0});
    scripted.put({5, 1});
    scripted.look(10);
    EXPECT_TRUE(scripted.plan().empty());
}

TEST(PinJointPlacement, WithoutHogsAnyPlaceIsAsGoodAsAnother) {
    Scripted scripted({0, 0});
    scripted.put({4, 2});
    scripted.look(10);
    EXPECT_TRUE(scripted.plan().empty());
}

TEST(PinJointPlacement, FreeCoresComeFirst) {
    Scripted scripted({1, 1, 0, 0});
    scripted.put({1, 1, 0, 0});
    scripted.look(10);
    EXPECT_EQ(scripted.plan(), (std::vector<int>{0, 0, 1, 1}));
}

TEST(PinJointPlacement, ASlowCoreGoesToTheLastThread) {
    Scripted scripted({0, 0, 0});
    scripted.put({1, 1, 0});
    // The first core is half as fast; of the third nothing is known, so it counts as the others do.
    for (int tick = 0; tick < 10; ++tick) {
        scripted.expected.begin(++scripted.now);
        scripted.expected.add_share(scripted.tree.leaves()[0], 0.5, 1);
        scripted.expected.add_share(scripted.tree.leaves()[1], 1, 1);
        scripted.expected.close();
    }
    EXPECT_EQ(scripted.plan(), (std::vector<int>{0, 1, 1}));
}

TEST(PinJointPlacement, ThreadsOfOtherProcessesCountWhereNothingWasSeen) {
    Scripted scripted({0, 0, 0});
    scripted.occupancy.set_others({{2, 1.0}});
    scripted.put({2, 0, 0});
    scripted.look(5);
    EXPECT_EQ(scripted.plan(), (std::vector<int>{1, 1, 0}));
}

TEST(PinJointPlacement, NothingIsPlannedBeforeAnythingWasSeenAndAllThreadsHaveAPlace) {
    Scripted scripted({2, 0, 1, 0});
    scripted.put({3, 3, 0, 0});
    EXPECT_TRUE(scripted.plan().empty());
    scripted.look(5);
    const std::vector<int> plan = scripted.plan();
    EXPECT_EQ(std::accumulate(plan.begin(), plan.end(), 0), 6);
}

TEST(PinJointPlacement, WhatWasSeenIsForgotten) {
    Scripted scripted({3, 0});
    scripted.put({0, 2});
    scripted.look(5);
    EXPECT_EQ(scripted.plan(), (std::vector<int>{1, 1}));  // nobody knows of the hogs yet
    scripted.occupancy.add(scripted.tree.leaves()[0], 1);
    scripted.look(5);
    scripted.occupancy.add(scripted.tree.leaves()[0], -1);
    EXPECT_DOUBLE_EQ(scripted.expected.leaf(scripted.tree.leaves()[0]).of(1), 0.25);
    scripted.look(60);
    EXPECT_DOUBLE_EQ(scripted.expected.leaf(scripted.tree.leaves()[0]).of(1), 1);
}

}  // namespace
}  // namespace gimbal::pin
