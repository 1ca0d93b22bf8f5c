// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/inventory.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "gimbal/error.hpp"

namespace gimbal::pin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

int count(const Place& place, Level level) {
    int sum = place.level == level ? 1 : 0;
    for (const Place& part : place.inside) sum += count(part, level);
    return sum;
}

/// Four cores of two kinds in two caches of one node, as tables: whatever hwloc says of real ones.
Inventory hybrid() {
    Inventory machine;
    for (int core = 0; core < 4; ++core)
        machine.pus.push_back({.os = core,
                               .logical = core,
                               .core = core,
                               .sibling = 0,
                               .cache = core / 2,
                               .package = 0,
                               .memory_node = 0,
                               .kind = core % 2});
    return machine;
}

TEST(Inventory, OfASyntheticMachineIsNotReal) {
    const Inventory machine = read_inventory("numa:2 core:8 pu:2");
    EXPECT_FALSE(machine.real);
    EXPECT_EQ(machine.source, "synthetic numa:2 core:8 pu:2");
    ASSERT_EQ(machine.pus.size(), 32U);
    EXPECT_EQ(machine.memories.size(), 2U);
    EXPECT_EQ(machine.pus[0].sibling, 0);
    EXPECT_EQ(machine.pus[1].sibling, 1);
    EXPECT_EQ(machine.pus[1].core, 0);
    EXPECT_EQ(machine.pus[31].core, 15);
    EXPECT_EQ(machine.pus[31].memory_node, 1);
}

TEST(Inventory, HonoursTheEnvironmentOfHwloc) {
    setenv("HWLOC_SYNTHETIC", "numa:3 core:2 pu:1", 1);
    const Inventory machine = read_inventory();
    unsetenv("HWLOC_SYNTHETIC");
    EXPECT_FALSE(machine.real);
    EXPECT_EQ(machine.pus.size(), 6U);
    EXPECT_EQ(machine.source, "synthetic numa:3 core:2 pu:1");
}

TEST(Inventory, RefusesWordsThatHwlocDoesNotUnderstand) {
    try {
        (void)read_inventory("numa two");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_option);
        EXPECT_THAT(error.what(), HasSubstr("numa two"));
        EXPECT_THAT(error.hint(), HasSubstr("numa:2 core:8 pu:2"));
    }
}

TEST(Inventory, OfThisMachineIsRealAndHasProcessors) {
    const Inventory machine = read_inventory();
    EXPECT_TRUE(machine.real);
    EXPECT_FALSE(machine.pus.empty());
}

TEST(Inventory, MemoriesHaveTheNumbersOfTheOperatingSystem) {
    const Inventory machine = read_inventory("numa:2(indexes=3,1) core:2 pu:1");
    EXPECT_EQ(machine.pus.front().memory_node, 3);
    EXPECT_EQ(machine.pus.back().memory_node, 1);
    EXPECT_EQ(place_tree(machine).inside[0].memory_node, 3);
    EXPECT_EQ(place_tree(machine).inside[0].number, 0);
}

TEST(Inventory, TyposInTheEnvironmentAreRefusedAndNotPassedOver) {
    setenv("HWLOC_SYNTHETIC", "numa:3 core:two", 1);
    EXPECT_THROW((void)read_inventory(), Error);
    unsetenv("HWLOC_SYNTHETIC");
    setenv("HWLOC_XMLFILE", "no_such_machine.xml", 1);
    EXPECT_THROW((void)read_inventory(), Error);
    unsetenv("HWLOC_XMLFILE");
}

TEST(PlaceTree, HasTheLevelsOfTheMachine) {
    const Place place = place_tree(read_inventory("numa:2 l3:2 core:4 pu:2"));
    EXPECT_EQ(count(place, Level::node), 2);
    EXPECT_EQ(count(place, Level::cache), 4);
    EXPECT_EQ(count(place, Level::core), 16);
    EXPECT_EQ(count(place, Level::pu), 32);
    EXPECT_EQ(place.inside[1].memory_node, 1);
    const MachineView view(place);  // throws if levels were out of order, or a PU there twice
    EXPECT_EQ(view.pus().size(), 32U);
}

TEST(PlaceTree, CachesThatGroupNothingAreNoLevel) {
    EXPECT_EQ(count(place_tree(read_inventory("numa:2 core:4 l2:1 pu:1")), Level::cache), 0);
    EXPECT_EQ(count(place_tree(read_inventory("numa:2 l2:1 core:4 pu:1")), Level::cache), 2);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map memory themselves
// A process that may map nothing more looks at the machine. @return 0: it is told that there is no memory
int look_without_memory() {
    const rlimit none = {0, 0};
    if (setrlimit(RLIMIT_AS, &none) != 0) return 2;
    try {
        (void)read_inventory();
    } catch (const Error& error) {
        return error.code() == ErrorCode::unsupported ? 0 : 3;
    }
    return 1;
}

TEST(Inventory, WithoutMemoryHwlocIsNotAsked) {
    EXPECT_EXIT(_exit(look_without_memory()), testing::ExitedWithCode(0), "");
}
#endif

TEST(PlaceTree, TheStrongestCoresOfACacheComeFirstAndCachesStayWhole) {
    const Place place = place_tree(hybrid());
    ASSERT_EQ(place.inside.size(), 1U);
    ASSERT_EQ(place.inside[0].inside.size(), 2U);
    EXPECT_THAT(pus_of(place), ElementsAre(1, 0, 3, 2));
}

TEST(PlaceTree, ACacheOfStrongCoresComesBeforeOneOfWeakCores) {
    Inventory machine = hybrid();
    for (PuInfo& pu : machine.pus) pu.kind = pu.cache;  // the second cache holds the strong ones
    EXPECT_THAT(pus_of(place_tree(machine)), ElementsAre(2, 3, 0, 1));
}

TEST(PlaceTree, AMachineThatSaysNothingStillHasItsProcessors) {
    Inventory machine;
    for (int os : {4, 2}) {
        PuInfo pu;
        pu.os = os;
        pu.logical = static_cast<int>(machine.pus.size());
        machine.pus.push_back(pu);
    }
    const Place place = place_tree(machine);
    EXPECT_EQ(count(place, Level::core), 0);
    EXPECT_EQ(place.inside[0].memory_node, kNoMemory);
    EXPECT_EQ(MachineView(place).pus().size(), 2U);
}

}  // namespace
}  // namespace gimbal::pin
