// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order.hpp"
#include "sphere.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace evrard {
namespace {

TEST(Order, IsAPermutationForEveryKind) {
    const test::Sphere sphere(500);
    for (const Order kind : {Order::radial, Order::morton, Order::initial}) {
        auto order = iteration_order(sphere.particles.position, kind);
        std::sort(order.begin(), order.end());
        for (std::uint32_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
    }
}

TEST(Order, RadialGoesOutwards) {
    const test::Sphere sphere(500);
    const auto& x = sphere.particles.position;
    const auto order = iteration_order(x, Order::radial);
    for (std::size_t k = 1; k < order.size(); ++k) EXPECT_LE(norm(x[order[k - 1]]), norm(x[order[k]]));
}

TEST(Order, BreaksTiesByIndex) {
    const std::vector<Vec3> same(20, Vec3{0.5, 0.5, 0.5});
    for (const Order kind : {Order::radial, Order::morton, Order::initial}) {
        const auto order = iteration_order(same, kind);
        EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
}

TEST(Order, BlocksCoverEveryIterationOnce) {
    for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
        for (const int ranks : {1, 2, 3, 8}) {
            const auto starts = block_starts(count, ranks);
            ASSERT_EQ(starts.size(), static_cast<std::size_t>(ranks) + 1);
            EXPECT_EQ(starts.front(), 0u);
            EXPECT_EQ(starts.back(), count);
            for (std::size_t r = 1; r < starts.size(); ++r) {
                const std::size_t length = starts[r] - starts[r - 1];
                EXPECT_GE(length + 1, (count + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks));
                EXPECT_LE(length, count / static_cast<std::size_t>(ranks) + 1);
            }
        }
    }
}

}  // namespace
}  // namespace evrard
