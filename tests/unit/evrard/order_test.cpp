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

}  // namespace
}  // namespace evrard
