// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <vector>

namespace gimbal::mpi {
namespace {

TEST(StealAmount, IsAtLeastOneAndAtMostWhatIsLeft) {
    for (const double ratio : {0.0, 1e-9, 0.1, 0.5, 0.999, 1.0})
        for (const std::uint32_t left : {1U, 2U, 3U, 100U, 0xFFFFFFFFU})
            for (const double cost : {0.0, 1e-9, 1e-3, 10.0}) {
                const StealView view{ratio, cost, left * (cost > 0 ? cost : 1), 7, 5e-5};
                const std::uint32_t amount = steal_amount(left, view);
                EXPECT_GE(amount, 1U);
                EXPECT_LE(amount, left);
            }
}

TEST(StealAmount, HonoursARatio) {
    EXPECT_EQ(steal_amount(100, {.ratio = 0.5}), 50U);
    EXPECT_EQ(steal_amount(100, {.ratio = 1}), 100U);
    EXPECT_EQ(steal_amount(100, {.ratio = 0.001}), 1U);
}

TEST(StealAmount, FairIsOnePartInAllRanksOfAllWork) {
    EXPECT_EQ(steal_amount(1000, {.total = 1000, .ranks = 4}), 250U);
    EXPECT_EQ(steal_amount(1000, {.total = 2000, .ranks = 4}), 500U);
    EXPECT_EQ(steal_amount(1000, {.total = 4000, .ranks = 4}), 500U) << "never more than half of one victim's";
    EXPECT_EQ(steal_amount(1000, {.cost_s = 1e-3, .total = 1, .ranks = 10, .look_s = 5e-5}), 100U);
    EXPECT_EQ(steal_amount(1000, {.cost_s = 1e-6, .total = 1e-3, .ranks = 1000, .look_s = 5e-5}), 50U)
        << "no less than lasts from one look to the next";
}

TEST(WorthStealing, UnlessItsOwnerIsThroughBeforeItLooks) {
    EXPECT_FALSE(worth_stealing(0, 1, 5e-5));
    EXPECT_TRUE(worth_stealing(1, 0, 5e-5));
    EXPECT_TRUE(worth_stealing(1, 1e-3, 5e-5));
    EXPECT_FALSE(worth_stealing(10, 1e-6, 5e-5));
    EXPECT_TRUE(worth_stealing(60, 1e-6, 5e-5));
}

// An event simulation without messages: ranks own `left` items of one cost each; a rank that runs out takes a fair
// share from the fullest. Nobody steals what was stolen.
double makespan(std::vector<std::uint32_t> left, double& ideal) {
    const int ranks = static_cast<int>(left.size());
    double items = 0;
    for (const std::uint32_t own : left) items += own;
    ideal = items / ranks;
    using Event = std::pair<double, int>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> free_at;
    for (int rank = 0; rank < ranks; ++rank) free_at.push({0, rank});
    double last = 0;
    while (!free_at.empty()) {
        const auto [now, rank] = free_at.top();
        free_at.pop();
        last = std::max(last, now);
        std::uint32_t& own = left[static_cast<std::size_t>(rank)];
        if (own > 0) {
            --own;
            free_at.push({now + 1, rank});
            continue;
        }
        const auto fullest = std::max_element(left.begin(), left.end());
        if (*fullest == 0) continue;
        double total = 0;
        for (const std::uint32_t other : left) total += other;
        const std::uint32_t part = steal_amount(*fullest, {.total = total, .ranks = ranks});
        *fullest -= part;
        free_at.push({now + part, rank});
    }
    return last;
}

TEST(FairShare, NeedsNoStealingAgain) {
    std::uint64_t state = 1;
    const auto random = [&state](std::uint32_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>((state >> 33U) % below);
    };
    for (const std::size_t ranks : {2U, 3U, 4U, 7U, 16U, 100U}) {
        for (int round = 0; round < 30; ++round) {
            std::vector<std::uint32_t> left(ranks);
            if (round == 0) left[0] = 20000;
            for (std::uint32_t& own : left)
                if (round > 0)
                    own = random(round % 3 == 0 ? 3 : 1000) * random(2 + static_cast<std::uint32_t>(round) % 2);
            double ideal = 0;
            const double time = makespan(left, ideal);
            EXPECT_LE(time, ideal + 2) << ranks << " ranks, round " << round;  // an item cannot be cut
        }
    }
}

}  // namespace
}  // namespace gimbal::mpi
