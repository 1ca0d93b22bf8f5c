// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace aco {
namespace {

TEST(ThreadPool, CallsWorkOnceOnEveryThreadEveryTime) {
    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        std::vector<int> calls(static_cast<std::size_t>(threads));
        for (int i = 0; i < 100; ++i) pool.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
        for (const int count : calls) EXPECT_EQ(count, 100) << threads;
    }
}

TEST(ThreadPool, MeetsInStepAndNamesOneThread) {
    ThreadPool pool(5);
    int steps = 0;  // written by the one, read by all after they have met again
    std::atomic<int> wrong = 0;
    pool.run([&](int) {
        for (int i = 0; i < 200; ++i) {
            if (pool.meet()) ++steps;
            pool.meet();
            if (steps != i + 1) ++wrong;
            pool.meet();
        }
    });
    EXPECT_EQ(steps, 200);
    EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, TellsOfAnExceptionAndGoesOn) {
    ThreadPool pool(3);
    EXPECT_THROW(pool.run([](int thread) {
        if (thread == 1) throw std::runtime_error("as asked");
    }),
                 std::runtime_error);
    std::atomic<int> calls = 0;
    pool.run([&](int) { ++calls; });
    EXPECT_EQ(calls, 3);
}

std::ptrdiff_t threads_of_this_process() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(ThreadPool, EndsWithoutEverHavingWorked) {
    constexpr int kPools = 50;
    const std::ptrdiff_t before = threads_of_this_process();
    for (int i = 0; i < kPools; ++i) {
        const ThreadPool pool(4);
        EXPECT_EQ(pool.threads(), 4);
        EXPECT_GE(threads_of_this_process(), before + 4);
    }
    // The kernel may show a thread for a moment after it has been joined.
    EXPECT_LT(threads_of_this_process(), before + kPools) << "a thread of each pool is left";
}

}  // namespace
}  // namespace aco
