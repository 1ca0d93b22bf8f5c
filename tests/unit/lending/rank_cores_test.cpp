// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/rank_cores.h"

#include <gmock/gmock.h>

#include <array>
#include <cstddef>

#include "base/warnings.hpp"
#include "config/load.hpp"
#include "lending/node_cores.hpp"
#include "lending/thread_core.hpp"

namespace gimbal {
namespace {

using testing::HasSubstr;

class RankCores : public testing::Test {
protected:
    void SetUp() override { set_option("GIMBAL_ELASTIC", "on"); }
    void TearDown() override {
        gimbal_rank_cores_detach();
        set_option("GIMBAL_ELASTIC", "off");
        set_option("GIMBAL_RANK_THREADS", "0");
    }
    void attach() { gimbal_rank_cores_attach(memory_, sizeof(memory_), 0, 2); }

    alignas(128) std::byte memory_[2 * NodeCores::kSlotBytes] = {};
};

TEST_F(RankCores, ARankWhoseThreadsAreNotKnownIsNeitherBoundNorLends) {
    CoreMask before, after;
    ASSERT_TRUE(before.read(0));
    attach();
    ASSERT_TRUE(after.read(0));
    EXPECT_EQ(after, before);
    EXPECT_FALSE(node_cores().attached());
    EXPECT_EQ(gimbal_rank_cores_on(), 0);
    EXPECT_THAT(warnings(), testing::Contains(HasSubstr("GIMBAL_RANK_THREADS")).Times(1));
}

TEST_F(RankCores, ARankWhoseThreadsAreKnownLends) {
    set_option("GIMBAL_RANK_THREADS", "1");
    EXPECT_EQ(gimbal_rank_cores_on(), 1);
    attach();
    EXPECT_TRUE(node_cores().attached());
}

/// The n-th processor of a mask alone.
CoreMask nth(const CoreMask& mask, std::size_t n) {
    int core = 0;
    while (!mask.has(core) || n-- > 0) ++core;
    return mask.only(core);
}

// As under taskset, or in a control group that grants fewer than the machine has; ranks that are bound have a part
// each.
TEST(NodeCores, TheNodesProcessorsAreThoseThatItsRanksMayRunOn) {
    CoreMask before;
    ASSERT_TRUE(before.read(0));
    if (before.cores() < 2) GTEST_SKIP() << "needs two cores";
    for (const std::size_t second : {0, 1}) {
        alignas(128) std::array<std::byte, 2 * NodeCores::kSlotBytes> memory{};
        NodeCores one, other;
        ASSERT_TRUE(nth(before, 0).apply(0));
        EXPECT_TRUE(one.attach(memory.data(), memory.size(), 0, 2, 1));
        ASSERT_TRUE(nth(before, second).apply(0));
        EXPECT_TRUE(other.attach(memory.data(), memory.size(), 1, 2, 1));
        for (NodeCores* const rank : {&one, &other}) {
            EXPECT_EQ(rank->wanted_by_others(), second == 0) << "two ranks on one processor need each other's";
            EXPECT_EQ(rank->for_others(), second);
            rank->detach();
        }
        ASSERT_TRUE(before.apply(0));
    }
}

}  // namespace
}  // namespace gimbal
