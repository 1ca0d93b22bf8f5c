// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/machine_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gimbal/error.hpp"

namespace gimbal::pin {
namespace {

using testing::ElementsAre;

TEST(PinMachine, AUniformMachineHasItsPusInOrder) {
    const MachineView view(uniform_machine(2, 3, 2));
    EXPECT_EQ(view.pus().size(), 12u);
    EXPECT_THAT(pus_of(view.root().inside[1].inside[0]), ElementsAre(6, 7));
    EXPECT_EQ(view.root().inside[1].memory_node, 1);
}

TEST(PinMachine, OnlyAllowedPusAreLeftAndEmptyPartsGo) {
    const std::vector<int> allowed = {5, 4, 99};
    const MachineView view(uniform_machine(2, 2, 2), allowed);
    EXPECT_THAT(view.pus(), ElementsAre(4, 5));
    ASSERT_EQ(view.root().inside.size(), 1u);
    EXPECT_EQ(view.root().inside[0].number, 1);
    EXPECT_TRUE(view.has(4));
    EXPECT_FALSE(view.has(0));
    EXPECT_FALSE(view.has(99));
}

TEST(PinMachine, NoPuLeftIsAnError) {
    const std::vector<int> allowed = {77};
    EXPECT_THROW(MachineView(uniform_machine(1, 2), allowed), Error);
    EXPECT_THROW(MachineView(Place{}), Error);
}

TEST(PinMachine, APuTwiceOrLevelsOutOfOrderAreErrors) {
    Place twice = uniform_machine(1, 2);
    twice.inside[0].inside[1].inside[0].number = 0;
    EXPECT_THROW(MachineView{twice}, Error);
    Place order{Level::core, 0, kNoMemory, {{Level::node, 0, kNoMemory, {{Level::pu, 0, kNoMemory, {}}}}}};
    EXPECT_THROW(MachineView{order}, Error);
}

TEST(PinMachine, PseudoNodesRegroupCores) {
    const std::vector<std::vector<int>> nodes = {{0}, {1}};
    const MachineView view(with_pseudo_nodes(uniform_machine(1, 2), nodes));
    ASSERT_EQ(view.root().inside.size(), 2u);
    EXPECT_THAT(pus_of(view.root().inside[1]), ElementsAre(1));
    EXPECT_EQ(view.root().inside[1].level, Level::node);
    EXPECT_EQ(view.root().inside[1].memory_node, 0);
}

TEST(PinMachine, PseudoNodesMaySplitACoreAndTheRestIsANodeToo) {
    const std::vector<std::vector<int>> nodes = {{0}};
    const MachineView view(with_pseudo_nodes(uniform_machine(1, 2, 2), nodes));
    ASSERT_EQ(view.root().inside.size(), 2u);
    EXPECT_THAT(pus_of(view.root().inside[0]), ElementsAre(0));
    EXPECT_THAT(pus_of(view.root().inside[1]), ElementsAre(1, 2, 3));
}

TEST(PinMachine, APseudoNodeOverTwoMemoriesHasNone) {
    const std::vector<std::vector<int>> nodes = {{0, 2}, {1}};
    const Place machine = with_pseudo_nodes(uniform_machine(2, 2), nodes);
    EXPECT_EQ(machine.inside[0].memory_node, kNoMemory);
    EXPECT_EQ(machine.inside[1].memory_node, 0);
    EXPECT_EQ(machine.inside[2].memory_node, 1);
}

TEST(PinMachine, WrongPseudoNodesSayWhatIsWrong) {
    const Place machine = uniform_machine(1, 2);
    const auto complaint = [&](const std::vector<std::vector<int>>& nodes) -> std::string {
        try {
            static_cast<void>(with_pseudo_nodes(machine, nodes));
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(complaint({{7}}), testing::HasSubstr("processor 7"));
    EXPECT_THAT(complaint({{0}, {0}}), testing::HasSubstr("two pseudo-nodes"));
    EXPECT_THAT(complaint({{}}), testing::HasSubstr("no processor"));
}

}  // namespace
}  // namespace gimbal::pin
