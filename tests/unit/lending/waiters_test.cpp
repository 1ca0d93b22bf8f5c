// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "other_thread.hpp"

namespace gimbal {
namespace {

TEST(Waiters, AThreadHasOneAndNoOtherLivingThreadHasIt) {
    gimbal_waiter* const mine = gimbal_waiter_mine();
    ASSERT_NE(mine, nullptr);
    EXPECT_EQ(gimbal_waiter_mine(), mine);
    EXPECT_EQ(mine->thread, this_thread());
    std::set<gimbal_waiter*> seen{mine};
    test::OtherThread others[] = {test::OtherThread(0, false), test::OtherThread(0, false)};
    for (test::OtherThread& other : others) EXPECT_TRUE(seen.insert(&other.waiter()).second);
}

TEST(Waiters, ThreadsThatCameAndWentLeaveTheirPlaceToOthers) {
    std::set<gimbal_waiter*> seen;
    for (int i = 0; i < 100; ++i) {
        test::OtherThread other(0, false);
        seen.insert(&other.waiter());
    }
    EXPECT_LT(seen.size(), 5U);
    for (const gimbal_waiter* waiter : seen) EXPECT_EQ(waiter->thread, 0);
}

// Destructors of its data may run loops still.
TEST(Waiters, AThreadThatEndsKeepsItsPlaceWhileItsDataIsDestroyed) {
    struct Seen {
        gimbal_waiter *before = nullptr, *then = nullptr, *of_another = nullptr;
    } seen;
    pthread_key_t key{};
    const auto destroy = [](void* data) {
        auto* const all = static_cast<Seen*>(data);
        all->then = gimbal_waiter_mine();
        std::thread([all] { all->of_another = gimbal_waiter_mine(); }).join();
    };
    ASSERT_EQ(pthread_key_create(&key, destroy), 0);
    std::thread([&] {
        seen.before = gimbal_waiter_mine();
        pthread_setspecific(key, &seen);
    }).join();
    EXPECT_EQ(seen.then, seen.before);
    EXPECT_NE(seen.of_another, seen.before);
    EXPECT_EQ(seen.before->thread, 0) << "it is given back then";
    pthread_key_delete(key);
}

TEST(Waiters, AChildAfterForkHasItsOwnNumber) {
    gimbal_waiter* const mine = gimbal_waiter_mine();
    const pid_t child = fork();
    if (child == 0) _exit(gimbal_waiter_mine() == mine && mine->thread == getpid() ? 0 : 1);
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gimbal
