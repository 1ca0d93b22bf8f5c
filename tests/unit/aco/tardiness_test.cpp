// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "small.hpp"

#include <gtest/gtest.h>

#include <array>

namespace aco {
namespace {

std::int64_t of(const std::array<Job, 3>& order) {
    return tardiness(three_jobs(), order);
}

TEST(Tardiness, OfSchedulesComputedByHand) {
    EXPECT_EQ(of({1, 2, 0}), 2 * 1);          // ends at 2, 6, 9: the third job by 1 of weight 2
    EXPECT_EQ(of({0, 1, 2}), 5 * 3 + 2 * 4);  // ends at 3, 5, 9
    EXPECT_EQ(of({2, 1, 0}), 5 * 4);          // ends at 4, 6, 9
    EXPECT_EQ(of({1, 0, 2}), 2 * 4);          // ends at 2, 5, 9
}

TEST(Tardiness, EndingOnTheDueDateCostsNothing) {
    const Instance instance{{4}, {7}, {4}};
    EXPECT_EQ(tardiness(instance, std::array<Job, 1>{0}), 0);
}

TEST(Tardiness, TheLargestThatFilesAllowDoesNotOverflow) {
    Instance instance;
    std::vector<Job> order;
    for (Job job = 0; job < 100; ++job) {
        instance.processing.push_back(kMaxNumber);
        instance.weight.push_back(kMaxNumber);
        instance.due.push_back(0);
        order.push_back(job);
    }
    EXPECT_EQ(tardiness(instance, order), kMaxNumber * kMaxNumber * 5050);
}

}  // namespace
}  // namespace aco
