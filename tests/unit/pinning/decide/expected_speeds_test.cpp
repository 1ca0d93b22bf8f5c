// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/expected_speeds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gimbal::pin {
namespace {

struct Scene {
    Scene() { expected.begin(1); }
    Settings settings = forgetful();
    ChoiceTree tree{MachineView(uniform_machine(2, 2)), std::vector<Level>{Level::node, Level::core}, 1};
    Occupancy occupancy{tree};
    ExpectedSpeeds expected{tree, occupancy, settings, 0.5};

    static Settings forgetful() {
        Settings settings;
        settings.memory = 10;
        return settings;
    }
    /// A thread of ours on a PU that earned this much, in the tick that close() ends.
    void earn(int pu, double utility) {
        const ChoiceId leaf = tree.leaf_of(pu);
        occupancy.add(leaf, 1);
        expected.add(leaf, utility);
        expected.add(tree.around(leaf, 1), utility);
    }
};

TEST(PinExpectedSpeeds, NothingIsKnownAtFirstAndAfterAWhile) {
    Scene scene;
    const ChoiceId leaf = scene.tree.leaf_of(0);
    EXPECT_TRUE(std::isnan(scene.expected.one_more(leaf, 0)));
    scene.earn(0, 4);
    scene.expected.close();
    scene.expected.begin(10);
    EXPECT_DOUBLE_EQ(scene.expected.one_more(leaf, 0), 4);
    scene.expected.begin(11);
    EXPECT_TRUE(std::isnan(scene.expected.one_more(leaf, 0)));
}

TEST(PinExpectedSpeeds, OneMoreSharesWhatIsThere) {
    Scene scene;
    const ChoiceId leaf = scene.tree.leaf_of(0);
    scene.earn(0, 0.5);
    scene.earn(0, 0.5);
    scene.expected.close();
    EXPECT_DOUBLE_EQ(scene.expected.one_more(leaf, 2), 0.5 * 2 / 3);
    EXPECT_DOUBLE_EQ(scene.expected.one_more(leaf, 1), 0.5);
}

TEST(PinExpectedSpeeds, AFullNodePromisesItsBestSharedCoreAndNotItsMean) {
    Scene scene;
    scene.earn(0, 0.5);
    scene.earn(2, 1);
    scene.earn(3, 1);
    scene.expected.close();
    EXPECT_DOUBLE_EQ(scene.expected.expected(0, scene.tree.leaf_of(0))[1], 0.5);
}

TEST(PinExpectedSpeeds, ANodeWithAFreeCorePromisesWhatItsOthersEarn) {
    Scene scene;
    scene.earn(0, 0.5);
    scene.earn(2, 1);
    scene.expected.close();
    const ChoiceId home = scene.tree.leaf_of(0);
    EXPECT_DOUBLE_EQ(scene.expected.expected(0, home)[1], 1);
    EXPECT_EQ(scene.tree.at(scene.expected.best_leaf(scene.tree.at(0).inside[1], home)).pus, std::vector<int>{3});
}

TEST(PinExpectedSpeeds, ExploringLeansTowardsWhatPromisesMoreUnlessToldNotTo) {
    Scene scene;
    scene.earn(0, 0.5);
    scene.earn(2, 1);
    scene.expected.close();
    const std::vector<double> weights = scene.expected.weights(0, scene.tree.leaf_of(0));
    EXPECT_GT(weights[1], weights[0]);
    scene.settings.crowd = 0;
    EXPECT_EQ(scene.expected.weights(0, scene.tree.leaf_of(0)), (std::vector<double>{1, 1}));
    scene.settings.share = false;
    EXPECT_TRUE(scene.expected.expected(0, scene.tree.leaf_of(0)).empty());
}

}  // namespace
}  // namespace gimbal::pin
