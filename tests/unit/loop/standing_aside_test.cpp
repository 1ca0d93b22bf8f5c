// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/standing_aside.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "loop/execution.hpp"
#include "loop/site.hpp"
#include "measure/clock.hpp"
#include "measure/core_share.hpp"

namespace {

using gimbal::CoreLoss;
using gimbal::Execution;
using gimbal::Manner;
using gimbal::StandingAside;

TEST(StandingAside, OnlyIfTheLoopEndsWhileTheWorkerIsAway) {
    CoreLoss loss{.left = 0.1, .margin = 0.3, .absence = 4, .rest = 2};
    EXPECT_TRUE(should_stand_aside(loss));
    loss.rest = 5;
    EXPECT_FALSE(should_stand_aside(loss)) << "it is back before the others are done";
    loss.rest = 0.05;
    EXPECT_FALSE(should_stand_aside(loss)) << "the loop ends before";
    loss = {.left = 2, .margin = 0.3, .absence = 4, .rest = 3};
    EXPECT_FALSE(should_stand_aside(loss)) << "there is time to help";
    loss.left = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(should_stand_aside(loss));
}

gimbal::LoopTotals totals_of(std::uint64_t calls, double loop_time) {
    gimbal::LoopTotals totals;
    totals.calls = calls;
    totals.loop_time = loop_time * static_cast<double>(calls);
    return totals;
}

TEST(StandingAside, LooksNowAndThenAndWatchesWhileSomebodySharesACore) {
    const gimbal::TechniqueInfo& usched = gimbal::find_technique("usched")->info();
    StandingAside aside;
    std::vector<std::uint64_t> looks;
    for (std::uint64_t call = 0; call < 20; ++call) {
        if (aside.next(usched, 2, totals_of(call, 2000), 1)) looks.push_back(call);
    }
    EXPECT_EQ(looks, (std::vector<std::uint64_t>{1, 9, 17}));
    EXPECT_FALSE(aside.next(usched, 2, totals_of(1, 900), 1)) << "shorter than 1 ms";
    EXPECT_FALSE(aside.next(usched, 1, totals_of(1, 2000), 1)) << "nobody to leave it to";
    EXPECT_FALSE(aside.next(gimbal::find_technique("lws")->info(), 2, totals_of(1, 2000), 1));
    std::vector<gimbal::WorkerSlot> slots(2);
    aside.learn(slots);
    EXPECT_FALSE(aside.next(usched, 2, totals_of(2, 2000), 1));
    slots[1].shares_core = slots[1].stood_aside = true;
    aside.learn(slots);
    EXPECT_EQ(aside.times(), 1U);
    int watched = 0;
    for (std::uint64_t call = 2; call < 9 + 64; ++call) watched += aside.next(usched, 2, totals_of(call, 2000), 1);
    EXPECT_EQ(watched, 64);
}

/// This thread has lost its core twice for 4 ms, after 4 ms, and will lose it again now.
void share_core() {
    const double us = gimbal::ticks_per_microsecond();
    const auto ago = [now = gimbal::ticks(), us](double ms) {
        return now - static_cast<std::uint64_t>(ms * 1000 * us);
    };
    const gimbal::ThreadUsage real = gimbal::thread_usage();
    const auto then = [&](double ms, std::uint64_t losses) {
        return gimbal::ThreadUsage{real.processor - ms * 1000 * us, real.preempted - losses, real.slept};
    };
    gimbal::CoreShare& core = gimbal::core_share();
    core = {};
    core.scale(us);
    core.enter(ago(20), then(12, 2));
    core.back(ago(12), then(8, 1));
    core.back(ago(4), then(4, 0));
    ASSERT_LT(core.left(gimbal::ticks()), 300 * us);
}

/// Everything that one worker is given, one after another on this thread, chunk by chunk.
class Team {
public:
    Team(const char* technique, double fraction, std::uint32_t workers, std::uint64_t iterations)
        : site_({}, workers), execution_(&site_), shares_(workers), ran_(iterations) {
        Manner manner;
        manner.choice = {gimbal::find_technique(technique), 1, fraction};
        manner.watchful = true;
        manner.split = manner.choice.technique->info().weighs_static_part;
        const gimbal::LoopShape shape{.iterations = iterations, .workers = workers, .chunk = 1, .fraction = fraction};
        execution_.prepare(workers, manner, std::make_shared<const gimbal::Plan>(manner.choice.technique->plan(shape)));
        for (std::uint32_t i = 0; i < workers; ++i) execution_.begin(i, shares_[i]);
    }

    /// @return iterations that it ran until nothing was left for it
    std::uint64_t finish(std::uint32_t worker) {
        while (step(worker)) {
        }
        execution_.end(shares_[worker]);
        return execution_.slots()[worker].record.iterations;
    }
    bool step(std::uint32_t worker) {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
        if (!execution_.next(shares_[worker], first, end)) return false;
        for (std::uint64_t i = first; i < end; ++i) {
            ++ran_[i];
            const std::uint64_t begin = gimbal::ticks();
            while (static_cast<double>(gimbal::ticks() - begin) < 2 * gimbal::ticks_per_microsecond()) {
            }
        }
        return true;
    }
    [[nodiscard]] bool each_once() const {
        return std::all_of(ran_.begin(), ran_.end(), [](int times) { return times == 1; });
    }
    [[nodiscard]] const Execution& execution() const { return execution_; }

private:
    gimbal::LoopSite site_;
    Execution execution_;
    std::vector<gimbal_share> shares_;
    std::vector<int> ran_;
};

struct Case {
    const char* technique;
    double fraction;
};

class AWorkerAboutToLoseItsCore : public testing::TestWithParam<Case> {};

TEST_P(AWorkerAboutToLoseItsCore, LeavesTheRestToTheOthers) {
    share_core();
    Team team(GetParam().technique, GetParam().fraction, 2, 400);
    const auto own = static_cast<std::uint64_t>(GetParam().fraction * 200);
    const std::uint64_t first = team.finish(0);
    EXPECT_GE(first, own) << "its static part is for nobody else";
    EXPECT_LE(first, own + 10);
    EXPECT_TRUE(team.execution().slots()[0].stood_aside);
    team.finish(1);
    EXPECT_TRUE(team.each_once());
}

TEST_P(AWorkerAboutToLoseItsCore, StaysIfItIsTheLast) {
    share_core();
    Team team(GetParam().technique, GetParam().fraction, 3, 300);
    for (const std::uint32_t worker : {2U, 0U, 1U}) team.finish(worker);
    EXPECT_TRUE(team.each_once());
}

TEST_P(AWorkerAboutToLoseItsCore, TakesTurnsWithTheOthersInAnyOrder) {
    for (unsigned seed = 1; seed < 40; ++seed) {
        share_core();
        Team team(GetParam().technique, GetParam().fraction, 4, 90);
        std::vector<std::uint32_t> inside{0, 1, 2, 3};
        for (unsigned state = seed; !inside.empty(); state = state * 1103515245U + 12345U) {
            const std::size_t who = (state >> 16U) % inside.size();
            if (!team.step(inside[who])) inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(who));
        }
        EXPECT_TRUE(team.each_once()) << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Claims, AWorkerAboutToLoseItsCore,
                         testing::Values(Case{"usched", 0}, Case{"usched", 0.5}, Case{"vsched", 0},
                                         Case{"vsched", 0.5}),
                         [](const auto& each) {
                             return std::string(each.param.technique) +
                                    (each.param.fraction > 0 ? "_half" : "_dynamic");
                         });

}  // namespace
