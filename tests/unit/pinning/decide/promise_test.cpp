// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/promise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "decide/outlook.hpp"

namespace gimbal::pin {
namespace {

struct Scene {
    Settings settings;
    ChoiceTree tree{MachineView(uniform_machine(2, 2)), std::vector<Level>{Level::node, Level::core}, 1};
    Occupancy occupancy{tree};
    Promises promises{tree, 0.5, 10};

    /// A thread of ours on a PU that earned this much, in the tick that close() ends.
    void earn(int pu, double utility) {
        const ChoiceId leaf = tree.leaf_of(pu);
        occupancy.add(leaf, 1);
        promises.add(leaf, utility);
        promises.add(tree.around(leaf, 1), utility);
    }
    [[nodiscard]] Outlook outlook(int home) const {
        return {{&settings, &tree, &occupancy, &promises}, 0, tree.leaf_of(home), 1};
    }
};

TEST(PinPromise, NothingIsKnownAtFirstAndAfterAWhile) {
    Scene scene;
    const ChoiceId leaf = scene.tree.leaf_of(0);
    EXPECT_TRUE(std::isnan(scene.promises.promise(leaf, 0, 1)));
    scene.earn(0, 4);
    scene.promises.close(1);
    EXPECT_DOUBLE_EQ(scene.promises.promise(leaf, 0, 10), 4);
    EXPECT_TRUE(std::isnan(scene.promises.promise(leaf, 0, 11)));
}

TEST(PinPromise, OneMoreSharesWhatIsThere) {
    Scene scene;
    const ChoiceId leaf = scene.tree.leaf_of(0);
    scene.earn(0, 0.5);
    scene.earn(0, 0.5);
    scene.promises.close(1);
    EXPECT_DOUBLE_EQ(scene.promises.promise(leaf, 2, 1), 0.5 * 2 / 3);
    EXPECT_DOUBLE_EQ(scene.promises.promise(leaf, 1, 1), 0.5);
}

TEST(PinPromise, AFullNodePromisesItsBestSharedCoreAndNotItsMean) {
    Scene scene;
    scene.earn(0, 0.5);
    scene.earn(2, 1);
    scene.earn(3, 1);
    scene.promises.close(1);
    EXPECT_DOUBLE_EQ(scene.outlook(0).expected()[1], 0.5);
}

TEST(PinPromise, ANodeWithAFreeCorePromisesWhatItsOthersEarn) {
    Scene scene;
    scene.earn(0, 0.5);
    scene.earn(2, 1);
    scene.promises.close(1);
    const Outlook outlook = scene.outlook(0);
    EXPECT_DOUBLE_EQ(outlook.expected()[1], 1);
    EXPECT_EQ(scene.tree.at(outlook.best_leaf(scene.tree.at(0).inside[1])).pus, std::vector<int>{3});
}

TEST(PinPromise, ExploringLeansTowardsWhatPromisesMoreUnlessToldNotTo) {
    Scene scene;
    scene.earn(0, 0.5);
    scene.earn(2, 1);
    scene.promises.close(1);
    const std::vector<double> weights = scene.outlook(0).weights();
    EXPECT_GT(weights[1], weights[0]);
    scene.settings.crowd = 0;
    EXPECT_EQ(scene.outlook(0).weights(), (std::vector<double>{1, 1}));
    scene.settings.share = false;
    EXPECT_TRUE(scene.outlook(0).expected().empty());
}

}  // namespace
}  // namespace gimbal::pin
