// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>

#include "gimbal/process_stat.hpp"
#include "other_thread.hpp"

namespace gimbal {
namespace {

using test::allowed_cores;

constexpr std::uint64_t kLong_us = 20'000'000;

struct Team {
    std::vector<gimbal_waiter*> members;
    std::atomic<int> asked{0};
    int stop_after = -1;
};

gimbal_waiter* member_of(const void* host, std::uint32_t number) {
    return static_cast<const Team*>(host)->members[number];
}

int stop(const void* host) {
    auto* const team = static_cast<Team*>(const_cast<void*>(host));
    return ++team->asked > team->stop_after && team->stop_after >= 0 ? 1 : 0;
}

gimbal_meeting meeting_of(const Team& team, std::uint64_t name, std::uint64_t limit_us = kLong_us) {
    return {name, limit_us, static_cast<std::uint32_t>(team.members.size()), {nullptr, 0}, &team, member_of, stop};
}

TEST(WaitFor, EndsAtOnceWhenAllHaveCome) {
    gimbal_waiter self{}, other{};
    Team team{.members = {&self, &other, nullptr}};
    gimbal_waiter_reach(&self, 4);
    gimbal_waiter_reach(&other, 4);
    const gimbal_meeting meeting = meeting_of(team, 4);
    gimbal_wait_for(&self, &meeting);
    EXPECT_EQ(team.asked, 0);
    EXPECT_EQ(self.lent, 0U);
}

TEST(WaitFor, EndsWhenItsTimeIsOver) {
    gimbal_waiter self{}, other{};
    Team team{.members = {&self, &other}};
    gimbal_waiter_reach(&self, 4);
    const gimbal_meeting meeting = meeting_of(team, 4, 2000);
    gimbal_wait_for(&self, &meeting);
    EXPECT_EQ(self.lent, 0U);
    EXPECT_NE(other.meeting, 4U);
}

TEST(WaitFor, EndsWhenTheTeamNeedsTheThread) {
    gimbal_waiter self{}, other{};
    Team team{.members = {&self, &other}, .stop_after = 3};
    gimbal_waiter_reach(&self, 4);
    const gimbal_meeting meeting = meeting_of(team, 4);
    gimbal_wait_for(&self, &meeting);
    EXPECT_EQ(team.asked, 4);
}

TEST(WaitFor, EndsWhenItMayGoOn) {
    gimbal_waiter self{}, other{};
    Team team{.members = {&other}};
    const volatile std::uint64_t go = 4;
    gimbal_meeting meeting = meeting_of(team, 4);
    meeting.release = {&go, 4};
    gimbal_wait_for(&self, &meeting);
    EXPECT_EQ(team.asked, 0);
}

TEST(WaitFor, LendsNoCoreToAThreadThatSleeps) {
    std::atomic<gimbal_waiter*> other{nullptr};
    std::atomic<bool> over{false};
    std::string stat = "/proc/self/task/";
    std::thread sleeper([&] {
        stat += std::to_string(this_thread()) + "/stat";
        other = gimbal_waiter_mine();
        over.wait(false);
    });
    while (other.load() == nullptr) std::this_thread::yield();
    std::array<char, ProcessStat::kEnough> text;
    while (ProcessStat::read(stat.c_str(), text).state() != 'S') std::this_thread::yield();
    gimbal_waiter self{};
    Team team{.members = {&self, other.load()}};
    gimbal_waiter_reach(&self, 4);
    const gimbal_meeting meeting = meeting_of(team, 4, 50'000);
    gimbal_wait_for(&self, &meeting);
    EXPECT_EQ(self.lent, 0U);
    EXPECT_EQ(other.load()->borrowed, 0U);
    over = true;
    over.notify_all();
    sleeper.join();
}

TEST(WaitFor, LeavesErrnoAsItWas) {
    gimbal_waiter self{}, gone{};
    gone.thread = 1 << 22;  // more than any has
    Team team{.members = {&self, &gone}};
    gimbal_waiter_reach(&self, 4);
    const gimbal_meeting meeting = meeting_of(team, 4, 2000);
    errno = EDOM;
    gimbal_wait_for(&self, &meeting);
    EXPECT_EQ(errno, EDOM);
}

// The moment in which the first of a team comes and another one lends it a core, again and again: as in begin_loan().
TEST(Reach, TheFirstSeesALoanOrIsSeen) {
    constexpr std::uint64_t kRounds = 50'000;
    gimbal_waiter first{};
    struct alignas(128) Line {
        std::atomic<std::uint64_t> round{0};
    } begun, lent;
    std::uint64_t seen = 0;
    const auto await = [](const Line& line, std::uint64_t round) {
        for (int i = 1; line.round.load(std::memory_order_acquire) != round; ++i)
            if (i % 1000 == 0) sched_yield();
    };
    std::thread lender([&] {
        for (std::uint64_t round = 1; round <= kRounds; ++round) {
            await(begun, round);
            std::uint64_t none = 0;
            __atomic_compare_exchange_n(&first.borrowed, &none, round, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
            seen = __atomic_load_n(&first.meeting, __ATOMIC_SEQ_CST);
            lent.round.store(round, std::memory_order_release);
        }
    });
    std::uint64_t missed = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
        __atomic_store_n(&first.borrowed, 0, __ATOMIC_SEQ_CST);
        begun.round.store(round);
        for (volatile std::uint64_t i = 0; i < round % 40; i = i + 1) {
        }
        gimbal_waiter_reach_first(&first, round);
        const std::uint64_t borrowed = __atomic_load_n(&first.borrowed, __ATOMIC_RELAXED);
        await(lent, round);
        if (borrowed == 0 && seen != round) ++missed;
    }
    lender.join();
    EXPECT_EQ(missed, 0U);
}

// A team of two, one bound to a core that six spinning threads use as well: it is hardly ever there. Rounds of a little
// work and a meeting, as a host would hold them; the one that computes is the first of the team, or the second.
class Crowded : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        cores_ = allowed_cores();
        if (cores_.size() < 2) GTEST_SKIP() << "needs two cores";
        ASSERT_TRUE(own_.read(0));
        for (int i = 0; i < 6; ++i) crowd_.push_back(std::make_unique<test::OtherThread>(cores_[1]));
    }
    void TearDown() override {
        crowd_.clear();
        (void)own_.apply(0);
    }

    std::vector<int> cores_;
    CoreMask own_;
    std::vector<std::unique_ptr<test::OtherThread>> crowd_;
};

TEST_P(Crowded, AThreadWithoutACoreGetsThatOfTheOneThatWaits) {
    constexpr std::uint64_t kRounds = 60;
    const bool borrower_releases = GetParam();
    Team team{.members = {nullptr, nullptr}};
    std::atomic<std::uint64_t> done[2] = {0, 0};
    std::atomic<int> ready{0};
    volatile std::uint64_t go = 0;
    const std::uint64_t lent = gimbal_cores_lent();

    const auto work = [&](std::size_t place) {
        test::bind(0, cores_[place]);
        CoreMask mine;
        EXPECT_TRUE(mine.read(0));
        gimbal_waiter* const self = gimbal_waiter_mine();
        team.members[place] = self;
        ++ready;
        while (ready.load() < 2) sched_yield();
        const bool releases = (place == 1) == borrower_releases;
        for (std::uint64_t round = 1; round <= kRounds; ++round) {
            gimbal_waiter_home(self);
            const std::uint64_t until = thread_time_ns(this_thread()) + 100'000;
            while (place == 1 && thread_time_ns(this_thread()) < until) {
            }
            if (releases)
                gimbal_waiter_reach_first(self, round);
            else
                gimbal_waiter_reach(self, round);
            const gimbal_release release{releases ? nullptr : &go, round};
            gimbal_meeting meeting = meeting_of(team, round);
            meeting.release = release;
            if (releases) gimbal_wait_for(self, &meeting);
            done[place].store(round);
            if (releases) {
                while (done[1 - place].load() < round) sched_yield();
            } else {
                gimbal_wait_for(self, &meeting);
            }
            gimbal_waiter_arrived(self, &release);
            if (releases) __atomic_store_n(&go, round, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&go, __ATOMIC_SEQ_CST) < round) sched_yield();
        }
        gimbal_waiter_home(self);
        CoreMask now;
        EXPECT_TRUE(now.read(0));
        EXPECT_EQ(now, mine);
    };
    std::thread waits(work, 0);
    std::thread computes(work, 1);
    waits.join();
    computes.join();
    EXPECT_GT(gimbal_cores_lent(), lent);
}

INSTANTIATE_TEST_SUITE_P(TheBorrowerIs, Crowded, testing::Bool(),
                         [](const auto& which) { return which.param ? "TheFirst" : "Another"; });

}  // namespace
}  // namespace gimbal
