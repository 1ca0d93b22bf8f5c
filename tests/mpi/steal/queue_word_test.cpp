// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue word under threads: one owner, several thieves. Runs under the thread sanitizer as it is.
#include "steal/queue_word.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace gimbal::mpi {
namespace {

TEST(QueueWord, EndsMeetAndStay) {
    QueueWord word;
    EXPECT_FALSE(word.take_front(1));
    word.put(10);
    const Grains front = word.take_front(3);
    EXPECT_EQ(front.first, 0U);
    EXPECT_EQ(front.end, 3U);
    const Grains back = word.take_back([](std::uint32_t left) { return left / 2; });
    EXPECT_EQ(back.first, 7U);
    EXPECT_EQ(back.end, 10U);
    EXPECT_EQ(word.left(), 4U);
    EXPECT_EQ(word.take_back([](std::uint32_t) { return 1000U; }).size(), 4U);
    EXPECT_FALSE(word.take_front(1));
    EXPECT_FALSE(word.take_back([](std::uint32_t) { return 1U; }));
}

TEST(QueueWord, HoldsAsManyGrainsAsHalfAWordCounts) {
    QueueWord word;
    word.put(0xFFFFFFFF);
    EXPECT_EQ(word.left(), 0xFFFFFFFF);
    EXPECT_EQ(word.take_back([](std::uint32_t left) { return left / 2; }).end, 0xFFFFFFFF);
    EXPECT_EQ(word.take_front(0xFFFFFFFF).end, 0x80000000);
    EXPECT_EQ(word.left(), 0U);
}

// Every grain goes to one taker; the owner's are ascending, each thief's are descending.
TEST(QueueWord, EveryGrainOnceWithThieves) {
    constexpr std::uint32_t kGrains = 20000;
    constexpr int kThieves = 3;
    for (int round = 0; round < 20; ++round) {
        QueueWord word;
        auto taken = std::make_unique<std::atomic<int>[]>(kGrains);
        std::atomic<int> ready{0};
        std::atomic<int> disorder{0};
        const auto mark = [&](Grains grains) {
            for (std::uint32_t g = grains.first; g < grains.end; ++g) taken[g].fetch_add(1, std::memory_order_relaxed);
        };
        const auto line_up = [&] {
            for (ready.fetch_add(1); ready.load() <= kThieves;) std::this_thread::yield();
        };
        word.put(kGrains);
        std::vector<std::thread> thieves;
        for (int t = 0; t < kThieves; ++t)
            thieves.emplace_back([&, t] {
                line_up();
                std::uint32_t before = kGrains;
                while (const Grains mine = word.take_back([t](std::uint32_t left) { return 1 + left / (20U << t); })) {
                    if (mine.end > before) ++disorder;
                    before = mine.first;
                    mark(mine);
                }
            });
        line_up();
        std::uint32_t before = 0;
        while (const Grains mine = word.take_front(7)) {
            if (mine.first < before) ++disorder;
            before = mine.end;
            mark(mine);
        }
        for (std::thread& thief : thieves) thief.join();
        std::uint32_t wrong = 0;
        for (std::uint32_t g = 0; g < kGrains; ++g) wrong += taken[g].load() != 1;
        EXPECT_EQ(wrong, 0U);
        EXPECT_EQ(disorder.load(), 0);
        EXPECT_EQ(word.left(), 0U);
    }
}

}  // namespace
}  // namespace gimbal::mpi
