// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/choice_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/occupancy.hpp"

namespace gimbal::pin {
namespace {

using testing::ElementsAre;

ChoiceTree tree_of(const Place& machine, const std::vector<Level>& levels, std::size_t group = 1) {
    return {MachineView(machine), levels, group};
}

std::vector<std::vector<int>> leaves(const ChoiceTree& tree) {
    std::vector<std::vector<int>> all;
    for (const ChoiceId leaf : tree.leaves()) all.push_back(tree.at(leaf).pus);
    return all;
}

/// 2 nodes of 2 caches of 2 cores of 2 PUs.
Place deep_machine() {
    Place machine;
    int pu = 0;
    for (int n = 0; n < 2; ++n) {
        Place node{Level::node, n, 10 * n, {}};
        for (int l = 0; l < 2; ++l) {
            Place cache{Level::cache, l, kNoMemory, {}};
            for (int c = 0; c < 2; ++c) {
                Place core{Level::core, c, kNoMemory, {}};
                for (int p = 0; p < 2; ++p) core.inside.push_back({Level::pu, pu++, kNoMemory, {}});
                cache.inside.push_back(core);
            }
            node.inside.push_back(cache);
        }
        machine.inside.push_back(node);
    }
    return machine;
}

TEST(PinTree, NodesThenCores) {
    const ChoiceTree tree = tree_of(uniform_machine(2, 2), {Level::node, Level::core});
    EXPECT_EQ(tree.depth(), 2u);
    EXPECT_THAT(leaves(tree), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
    EXPECT_EQ(tree.at(0).inside.size(), 2u);
    EXPECT_EQ(tree.around(tree.leaf_of(3), 1), tree.at(0).inside[1]);
    EXPECT_EQ(tree.leaf_of(4), kNoChoice);
    EXPECT_THAT(tree.memories(), ElementsAre(0, 1));
}

TEST(PinTree, AnyDepth) {
    const ChoiceTree tree = tree_of(deep_machine(), {Level::node, Level::cache, Level::core, Level::pu});
    EXPECT_EQ(tree.depth(), 4u);
    EXPECT_EQ(tree.leaves().size(), 16u);
    const ChoiceId leaf = tree.leaf_of(13);
    EXPECT_THAT(tree.at(tree.around(leaf, 3)).pus, ElementsAre(12, 13));
    EXPECT_THAT(tree.at(tree.around(leaf, 2)).pus, ElementsAre(12, 13, 14, 15));
    EXPECT_EQ(tree.at(leaf).memory_node, 10);
}

TEST(PinTree, ALevelThatIsMissingIsOneChoice) {
    Place flat;
    for (int p = 0; p < 3; ++p) flat.inside.push_back({Level::pu, p, kNoMemory, {}});
    const ChoiceTree tree = tree_of(flat, {Level::node, Level::cache, Level::core});
    EXPECT_EQ(tree.at(0).inside.size(), 1u);
    EXPECT_EQ(tree.leaves().size(), 3u);
    for (const ChoiceId leaf : tree.leaves()) EXPECT_EQ(tree.at(leaf).depth, 3u);
}

TEST(PinTree, ACoreWithTwoPusIsOneLeafAndPusAreOrderedFirstSiblingsFirst) {
    EXPECT_THAT(leaves(tree_of(uniform_machine(1, 2, 2), {Level::core})),
                ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
    EXPECT_THAT(leaves(tree_of(uniform_machine(1, 2, 2), {Level::node, Level::pu})),
                ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(1), ElementsAre(3)));
}

TEST(PinTree, GroupsOfKCoresAreLeavesAsEqualAsPossibleWithinANode) {
    EXPECT_THAT(leaves(tree_of(uniform_machine(2, 4), {Level::node, Level::core}, 2)),
                ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5), ElementsAre(6, 7)));
    EXPECT_THAT(leaves(tree_of(uniform_machine(1, 7), {Level::node, Level::core}, 3)),
                ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4), ElementsAre(5, 6)));
    EXPECT_THAT(leaves(tree_of(uniform_machine(1, 2), {Level::node, Level::core}, 64)), ElementsAre(ElementsAre(0, 1)));
}

TEST(PinTree, AGroupIsNotTornBetweenTwoMemories) {
    const ChoiceTree tree = tree_of(uniform_machine(2, 3), {Level::core}, 2);
    EXPECT_THAT(leaves(tree), ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3, 4), ElementsAre(5)));
}

TEST(PinTree, LeavesKnowTheirMemoryAlsoWithoutALevelOfNodes) {
    const ChoiceTree tree = tree_of(uniform_machine(2, 2), {Level::core});
    EXPECT_EQ(tree.at(tree.leaf_of(1)).memory_node, 0);
    EXPECT_EQ(tree.at(tree.leaf_of(2)).memory_node, 1);
    EXPECT_EQ(tree.at(0).memory_node, kNoMemory);
    EXPECT_THAT(tree.memories(), ElementsAre(0, 1));
}

/// A pseudo-node has no memory of its own: what counts is beside which one the cores are.
TEST(PinTree, CoresOfAPseudoNodeOverTwoMemoriesKeepTheirs) {
    const std::vector<std::vector<int>> nodes = {{0, 2}, {1, 3}};
    const ChoiceTree tree = tree_of(with_pseudo_nodes(uniform_machine(2, 2), nodes), {Level::node, Level::core});
    EXPECT_EQ(tree.at(tree.at(0).inside[0]).memory_node, kNoMemory);
    EXPECT_EQ(tree.at(tree.leaf_of(0)).memory_node, 0);
    EXPECT_EQ(tree.at(tree.leaf_of(2)).memory_node, 1);
    EXPECT_THAT(tree.memories(), ElementsAre(0, 1));
    const ChoiceTree one = tree_of(with_pseudo_nodes(uniform_machine(1, 4), nodes), {Level::node, Level::core});
    EXPECT_THAT(one.memories(), ElementsAre(0));
}

TEST(PinTree, EveryPuIsInExactlyOneLeaf) {
    for (const std::size_t group : {1u, 2u, 3u, 5u}) {
        for (const Level last : {Level::core, Level::pu}) {
            const ChoiceTree tree = tree_of(uniform_machine(3, 5, 2), {Level::node, last}, group);
            std::vector<int> count(30);
            for (const ChoiceId leaf : tree.leaves()) {
                EXPECT_FALSE(tree.at(leaf).pus.empty());
                for (const int pu : tree.at(leaf).pus) ++count[static_cast<std::size_t>(pu)];
            }
            EXPECT_THAT(count, testing::Each(1));
        }
    }
}

TEST(PinOccupancy, FillsLeavesRoundRobinNodeByNode) {
    const ChoiceTree tree = tree_of(uniform_machine(2, 2), {Level::node, Level::core});
    Occupancy occupancy(tree);
    std::vector<int> pus;
    for (int i = 0; i < 6; ++i) {
        const ChoiceId leaf = occupancy.emptiest(0);
        occupancy.add(leaf, 1);
        pus.push_back(tree.at(leaf).pus.front());
    }
    EXPECT_THAT(pus, ElementsAre(0, 1, 2, 3, 0, 1));
    EXPECT_EQ(occupancy.own(0), 6);
    EXPECT_EQ(occupancy.own(tree.at(0).inside[0]), 4);
    EXPECT_DOUBLE_EQ(occupancy.load(tree.at(0).inside[0]), 2);
}

TEST(PinOccupancy, OthersCountToo) {
    const ChoiceTree tree = tree_of(uniform_machine(1, 3), {Level::core});
    Occupancy occupancy(tree);
    occupancy.set_others({{0, 2}, {1, 1}, {99, 5}});
    EXPECT_THAT(tree.at(occupancy.emptiest(0)).pus, ElementsAre(2));
    EXPECT_DOUBLE_EQ(occupancy.load(0), 1);
}

}  // namespace
}  // namespace gimbal::pin
