// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/early_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace {

using gimbal::allocate_early;
using gimbal::is_early;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kBlock = 1 << 10;

TEST(EarlyMemory, IsGivenOutOnceWhileItsPagesAreEnteredAndThenNoMore) {
    EXPECT_EQ(allocate_early((1 << 12) + 1, 64), nullptr) << "a large block";
    std::array<std::vector<char*>, kThreads> taken;
    {
        std::vector<std::jthread> threads;
        for (std::vector<char*>& own : taken)
            threads.emplace_back([&own] {
                while (void* const block = allocate_early(kBlock - 24, 64)) own.push_back(static_cast<char*>(block));
            });
        threads.emplace_back([] { gimbal::enter_early_pages(); });
    }
    std::vector<char*> all;
    for (const std::vector<char*>& own : taken) all.insert(all.end(), own.begin(), own.end());
    std::ranges::sort(all);
    EXPECT_GE(all.size(), std::size_t{1900}) << "two megabytes but for one block";
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_TRUE(is_early(all[i]));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all[i]) % 64, 0U);
        if (i > 0) {
            EXPECT_GE(all[i] - all[i - 1], static_cast<std::ptrdiff_t>(kBlock - 24));
        }
        EXPECT_EQ(std::ranges::count(std::span(all[i], kBlock - 24), '\0'), static_cast<std::ptrdiff_t>(kBlock - 24));
        all[i][0] = all[i][kBlock - 25] = 'x';
    }
    EXPECT_EQ(allocate_early(kBlock, 64), nullptr);
    EXPECT_FALSE(gimbal::memory_is_short());
    std::size_t last = 0;
    while (void* const block = gimbal::allocate_last(kBlock, 64)) {
        EXPECT_TRUE(is_early(block));
        ++last;
    }
    EXPECT_GE(last, std::size_t{250}) << "a quarter of a megabyte";
    EXPECT_FALSE(gimbal::memory_is_short()) << "the heap has some";
    const int elsewhere = 0;
    EXPECT_FALSE(is_early(&elsewhere));
}

}  // namespace
