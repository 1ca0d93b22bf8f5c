// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads, and threads that come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "act/actuator.hpp"
#include "machine/affinity.hpp"
#include "support.hpp"

namespace gimbal::pin {
namespace {

TEST(Churn, ThreadsThatComeAndGoLeaveNothingBehind) {
    const std::vector<int> all = allowed_pus(0);
    Actuator actuator(all);
    for (int round = 0; round < 200; ++round) {
        auto thread = std::make_unique<test::Repeating>(test::spin);
        const pid_t tid = thread->tid();
        ASSERT_EQ(actuator.take(tid), Outcome::done);
        ASSERT_EQ(actuator.place(tid, std::vector<int>{all[static_cast<std::size_t>(round) % all.size()]}),
                  Outcome::done);
        // Some end while they are placed, unannounced; their number may come back at any time.
        thread.reset();
        const Outcome late = actuator.place(tid, all);
        EXPECT_TRUE(late == Outcome::gone || late == Outcome::done || late == Outcome::unchanged) << outcome_name(late);
        actuator.ended(tid);
    }
    EXPECT_EQ(actuator.size(), 0U);
    EXPECT_TRUE(actuator.take_warnings().empty());
    std::vector<int> own;
    ASSERT_EQ(get_affinity(0, own), 0);
    EXPECT_EQ(own, all);
}

TEST(Churn, AThousandThreadsArePlacedAndGivenBack) {
    const std::vector<int> all = allowed_pus(0);
    constexpr std::size_t kThreads = 1000;
    std::vector<std::unique_ptr<test::Repeating>> threads;
    Actuator actuator(all);
    for (std::size_t i = 0; i < kThreads; ++i)
        threads.push_back(std::make_unique<test::Repeating>([] { test::wait_ms(100); }));
    for (std::size_t i = 0; i < kThreads; ++i) {
        const std::vector<int> one{all[i % all.size()]};
        ASSERT_EQ(actuator.take(threads[i]->tid()), Outcome::done);
        EXPECT_NE(actuator.place(threads[i]->tid(), one), Outcome::refused);
        EXPECT_EQ(actuator.check(threads[i]->tid()), Holder::ours);
    }
    actuator.restore_all();
    for (const auto& thread : threads) {
        std::vector<int> mask;
        ASSERT_EQ(get_affinity(thread->tid(), mask), 0);
        EXPECT_EQ(mask, all);
    }
    for (const auto& thread : threads) thread->end();
}

}  // namespace
}  // namespace gimbal::pin
