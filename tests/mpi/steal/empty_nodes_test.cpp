// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a node has heard of others: of one execution at a time, and nothing is lost where many tell it.
#include "steal/empty_nodes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace gimbal::mpi {
namespace {

constexpr int kNodes = 200;

class EmptyNodesTest : public testing::Test {
protected:
    std::unique_ptr<std::atomic<std::uint64_t>[]> words_ =
        std::make_unique<std::atomic<std::uint64_t>[]>(EmptyNodes::words_for(kNodes));
    EmptyNodes nodes_{words_.get()};

    int count(std::uint64_t epoch) const {
        int found = 0;
        for (int node = 0; node < kNodes; ++node) found += nodes_.contains(epoch, node) ? 1 : 0;
        return found;
    }
};

TEST_F(EmptyNodesTest, HoldWhatWasAdded) {
    EXPECT_EQ(EmptyNodes::groups(kNodes), 4);
    EXPECT_EQ(count(0), 0);
    for (const int node : {0, 31, 32, 63, 64, 199}) nodes_.add(0, node);
    EXPECT_EQ(count(0), 6);
    for (const int node : {0, 31, 32, 63, 64, 199}) EXPECT_TRUE(nodes_.contains(0, node)) << node;
    nodes_.add_group(0, 1, ~std::uint64_t{0});
    EXPECT_EQ(count(0), 5 + 64);
}

TEST_F(EmptyNodesTest, ANewExecutionBeginsWithNoneAndAnOlderOneChangesNothing) {
    // Also where the 32 bits that are kept of its number begin again.
    for (const std::uint64_t epoch : {std::uint64_t{6}, (std::uint64_t{1} << 32U) - 2, (std::uint64_t{1} << 32U) - 1}) {
        nodes_.add(epoch, 5);
        EXPECT_FALSE(nodes_.contains(epoch + 1, 5)) << epoch;
        nodes_.add(epoch + 1, 6);
        nodes_.add(epoch, 7);
        EXPECT_TRUE(nodes_.contains(epoch + 1, 6)) << epoch;
        EXPECT_EQ(count(epoch + 1), 1) << epoch;
        EXPECT_EQ(count(epoch), 0) << epoch;
        words_ = std::make_unique<std::atomic<std::uint64_t>[]>(EmptyNodes::words_for(kNodes));
        nodes_ = EmptyNodes(words_.get());
    }
}

TEST_F(EmptyNodesTest, NothingIsLostWhereManyTell) {
    for (std::uint64_t epoch = 0; epoch < 200; ++epoch) {
        std::vector<std::jthread> ranks;
        for (int rank = 0; rank < 4; ++rank)
            ranks.emplace_back([&, rank] {
                for (int node = rank; node < kNodes; node += 4) nodes_.add(epoch, node);
            });
        ranks.clear();
        EXPECT_EQ(count(epoch), kNodes) << epoch;
    }
}

}  // namespace
}  // namespace gimbal::mpi
