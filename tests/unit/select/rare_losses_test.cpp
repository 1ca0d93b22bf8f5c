// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/rare_losses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "config/load.hpp"
#include "experiment/experiment.hpp"
#include "gimbal/random.hpp"
#include "select/auto.hpp"
#include "simulate/chance.hpp"
#include "simulate/work.hpp"

namespace {

using namespace gimbal;
using Outcome = RareLosses::Outcome;

/// What holds the loop loses nothing, but in every `every`-th execution, where it takes `slower` times as long.
void hold(RareLosses& losses, int executions, int every, double slower) {
    for (int k = 1; k <= executions; ++k) {
        losses.passed();
        losses.observe(false, every > 0 && k % every == 0 ? slower : 1, 1, 1);
    }
}

/// Both in turn. @param busy  of the robust technique
/// @return how many executions it had
int compare(RareLosses& losses, int every, double slower, double time, double busy, Outcome& outcome) {
    losses.begin();
    int robust = 0, held = 0;
    for (outcome = Outcome::none; losses.runs();) {
        const bool now = losses.robust_runs();
        robust += now ? 1 : 0;
        held += now ? 0 : 1;
        outcome =
            now ? losses.observe(true, time, busy, 1) : losses.observe(false, held % every == 0 ? slower : 1, 1, 1);
    }
    return robust;
}

TEST(RareLosses, WhatFewExecutionsLoseIsComparedInAsManyAsMeetThem) {
    RareLosses losses;
    hold(losses, 64, 8, 8);
    Outcome outcome;
    EXPECT_EQ(compare(losses, 8, 8, 1.05, 1, outcome), 24) << "three of those that lose are to be expected";
    EXPECT_EQ(outcome, Outcome::won);
    EXPECT_NEAR(losses.ratio(), 1.05 / (15.0 / 8), 0.01);
}

TEST(RareLosses, NothingRunsWhereTrialsSeeAllThatThereIsToSee) {
    const auto begins = [](int executions, int every, double slower) {
        RareLosses losses;
        hold(losses, executions, every, slower);
        losses.begin();
        return losses.runs();
    };
    EXPECT_FALSE(begins(128, 0, 1)) << "nothing is lost";
    EXPECT_FALSE(begins(128, 1, 8)) << "every execution loses as much";
    EXPECT_FALSE(begins(128, 8, 1.5)) << "it is little";
    EXPECT_FALSE(begins(128, 64, 50)) << "so rare are interruptions";
    EXPECT_FALSE(begins(16, 8, 8)) << "too few were seen";
    EXPECT_TRUE(begins(128, 8, 8));
}

TEST(RareLosses, BothRunAFewExecutionsInTurn) {
    RareLosses losses;
    hold(losses, 64, 8, 8);
    losses.begin();
    int turns = 0, same = 0, longest = 0;
    for (bool before = !losses.robust_runs(); losses.runs(); losses.observe(before, 1, 1, 1)) {
        const bool now = losses.robust_runs();
        turns += now == before ? 0 : 1;
        same = now == before ? same + 1 : 1;
        longest = std::max(longest, same);
        before = now;
    }
    EXPECT_GE(turns, 6);
    EXPECT_LE(longest, 8) << "two turns of four";
}

TEST(RareLosses, ThreadsThatAreBusyForLongerElsewhereCount) {
    RareLosses losses;
    hold(losses, 64, 8, 8);
    Outcome outcome;
    compare(losses, 8, 8, 1.9, 1.9, outcome);
    EXPECT_EQ(outcome, Outcome::lost) << "nothing is lost by imbalance, and all takes as long";
}

TEST(RareLosses, WhatTakesFarLongerLosesAtOnceAndIsNotTriedForAWhile) {
    RareLosses losses;
    hold(losses, 64, 8, 8);
    Outcome outcome;
    EXPECT_LT(compare(losses, 8, 8, 9, 1, outcome), 16);
    EXPECT_EQ(outcome, Outcome::lost);
    hold(losses, 256, 8, 8);
    EXPECT_EQ(compare(losses, 8, 8, 1.05, 1, outcome), 0);
    hold(losses, 4096, 8, 8);
    EXPECT_GT(compare(losses, 8, 8, 1.05, 1, outcome), 0);
}

// What they have to do differs: a mean over few of them says nothing of what they lose.
TEST(RareLosses, ExecutionsThatHaveMoreToDoThanBeforeAreComparedAllTheSame) {
    RareLosses losses;
    hold(losses, 64, 8, 8);
    losses.begin();
    Outcome outcome = Outcome::none;
    int held = 0;
    while (losses.runs()) {
        const bool now = losses.robust_runs();
        held += now ? 0 : 1;
        outcome = losses.observe(now, now ? 4.2 : held % 8 == 0 ? 32 : 4, 4, 4);
    }
    EXPECT_EQ(outcome, Outcome::won);
}

TEST(RareLosses, WhatThreadsAreBusyForByChanceProvesNothing) {
    int won = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        RareLosses losses;
        hold(losses, 64, 8, 3);
        losses.begin();
        Outcome outcome = Outcome::none;
        for (std::uint64_t step = 0; losses.runs(); ++step) {
            const double work = 1 + 0.9 * simulate::uniform_of(random_bits(seed, 1, step));
            const double lost = random_bits(seed, 2, step) % 8 == 0 ? 3 : 1;
            outcome = losses.observe(losses.robust_runs(), lost * work, work, 1);
        }
        won += outcome == Outcome::won ? 1 : 0;
    }
    EXPECT_LE(won, 2) << "both lose as much";
}

TEST(RareLosses, WhatIsBrokenOffAgainAndAgainBeginsLater) {
    RareLosses losses;
    const auto begins_after = [&losses](int executions) {
        hold(losses, executions, 8, 8);
        losses.begin();
        return losses.runs();
    };
    EXPECT_TRUE(begins_after(64));
    losses.break_off();
    EXPECT_TRUE(begins_after(64)) << "it may have been something that does not come again";
    losses.break_off();
    EXPECT_FALSE(begins_after(512));
    EXPECT_TRUE(begins_after(512));
    losses.break_off();
    EXPECT_FALSE(begins_after(1984));
    EXPECT_TRUE(begins_after(64));
}

TEST(RareLosses, WhereNoneLosesMeanwhileMoreAreCompared) {
    RareLosses losses;
    hold(losses, 64, 16, 8);
    losses.begin();
    Outcome outcome = Outcome::none;
    int robust = 0, held = 0;
    while (losses.runs()) {
        const bool now = losses.robust_runs();
        ++(now ? robust : held);
        outcome =
            now ? losses.observe(true, 1.05, 1, 1) : losses.observe(false, held > 60 && held % 10 == 0 ? 16 : 1, 1, 1);
    }
    EXPECT_EQ(outcome, Outcome::won);
    EXPECT_GT(robust, 48) << "three that lose were to be expected in so many, but came later";
}

/// All iterations cost the same, but in one execution out of `one_in`, drawn, where the first sixteenth holds most.
class Rare final : public simulate::Application {
public:
    Rare(std::uint32_t threads, std::uint64_t how_long, std::uint64_t drawn_from, double time_us)
        : one_in_(drawn_from), time_ns_(1000 * time_us) {
        name = "rare";
        workers = threads;
        iterations = 2048;
        steps = how_long;
        loops = {name};
    }

    const simulate::Work& work(std::size_t /*loop*/, std::uint64_t step) override {
        const bool rare = random_bits(1, 3, step) % one_in_ == 0;
        double sum = 0;
        for (std::size_t k = 0; k < costs_.size(); ++k)
            sum += costs_[k] = rare && k < costs_.size() / 16 ? 1.0 + workers : 1.0;
        const double mean = sum / static_cast<double>(costs_.size());
        work_.assign(costs_, iterations, time_ns_ * workers * mean);
        return work_;
    }

private:
    std::uint64_t one_in_;
    double time_ns_;
    std::vector<double> costs_ = std::vector<double>(1024);
    simulate::BinnedWork work_;
};

double total(std::uint32_t workers, std::uint64_t one_in, double time_us, std::string_view schedule) {
    set_option("background", "off");
    Rare application(workers, 6000, one_in, time_us);
    simulate::Experiment experiment{.application = &application,
                                    .costs = simulate::drawing_costs(false),
                                    .disturbances = {.worker_noise = 0.005, .chunk_noise = 0.01}};
    experiment.request.schedule.technique = find_technique(schedule);
    if (!experiment.request.schedule.technique) experiment.request.selector = schedule;
    double sum = 0;
    run_experiment(experiment, [&](const simulate::ExperimentStep& seen) { sum += seen.step->loop_time; });
    return sum;
}

// Static is fastest in most executions, and held them: up to four times as long.
TEST(Auto, AScheduleThatLosesMuchInFewExecutionsDoesNotHoldTheLoop) {
    for (const std::uint32_t workers : {16U, 64U}) {
        for (const std::uint64_t one_in : {8U, 16U}) {
            for (const double time_us : {15.0, 60.0}) {
                const double best = total(workers, one_in, time_us, "static-steal");
                EXPECT_LT(total(workers, one_in, time_us, "auto"), 1.4 * best)
                    << workers << " workers, one in " << one_in << ", " << time_us << " us";
            }
        }
    }
}

/// A loop that may be left, whose first block takes eight times as long in one execution out of `one_in`,
/// drawn, under static; all else balances it, and takes a little longer.
struct LeftLoop {
    static constexpr std::uint32_t kWorkers = 16;
    std::uint64_t one_in;
    std::uint64_t iterations = 1000;
    double mean_ns = 20000;
    bool monotonic = false;
    std::unique_ptr<Selector> selector = make_auto(1, false);
    double passed_ns = 0, best_ns = 0;
    int with_static = 0, left = 0;
    std::uint64_t drawn = 0;

    void run(int executions) {
        passed_ns = best_ns = 0;
        with_static = left = 0;
        double left_until_ns = 0;
        for (int k = 0; k < executions; ++k) {
            const bool rare = random_bits(2, 3, drawn++) % one_in == 0;
            LoopContext context{.iterations = iterations,
                                .workers = kWorkers,
                                .monotonic = monotonic,
                                .can_leave = true,
                                .tick_s = 1e-9,
                                .dispatch = 10,
                                .iteration_time = mean_ns * kWorkers / static_cast<double>(iterations)};
            const double mean = mean_ns * (rare ? 1 + 7.0 / kWorkers : 1);
            best_ns += 1.03 * mean;
            Decision decision;
            bool is_static = passed_ns < left_until_ns;
            left += is_static ? 1 : 0;
            if (!is_static) {
                decision = selector->choose(context);
                is_static = decision.schedule.technique == find_technique("static");
                if (decision.left_for > 0) left_until_ns = passed_ns + decision.left_for;
            }
            with_static += is_static ? 1 : 0;
            const double time = is_static ? (rare ? 8 : 1.005) * mean_ns : 1.03 * mean;
            passed_ns += time;
            if (passed_ns - time < left_until_ns) continue;
            std::array<WorkerRecord, kWorkers> workers;
            for (std::size_t w = 0; w < kWorkers; ++w) {
                const double end = is_static && rare && w > 0 ? mean_ns : time;
                workers[w] = {.end = static_cast<std::uint64_t>(end), .chunks = 1, .iterations = 10};
            }
            selector->learn(decision,
                            {.iterations = iterations,
                             .loop_time = time,
                             .busy_max = time,
                             .busy_mean = std::min(mean, time),
                             .workers = workers},
                            context);
        }
    }
};

TEST(Auto, ALoopThatLosesMuchInFewExecutionsIsNotLeftForGood) {
    for (const std::uint64_t one_in : {4U, 8U, 16U}) {
        LeftLoop loop{.one_in = one_in};
        loop.run(50000);
        loop.run(50000);
        EXPECT_LT(loop.passed_ns, 1.1 * loop.best_ns) << "one in " << one_in;
        EXPECT_LT(loop.with_static, 5000) << "one in " << one_in;
    }
}

// Static's bad executions are longer than what is left.
TEST(Auto, ALoopThatLosesSoMuchThatItIsLongThenIsNotLeftForGood) {
    for (const std::uint64_t one_in : {8U, 16U}) {
        LeftLoop loop{.one_in = one_in, .mean_ns = 60000};
        loop.run(50000);
        loop.run(50000);
        EXPECT_LT(loop.passed_ns, 1.1 * loop.best_ns) << "one in " << one_in;
        EXPECT_LT(loop.with_static, 5000) << "one in " << one_in;
    }
}

TEST(Auto, ALoopThatLosesMuchInFewExecutionsIsNotLeftForGoodWhereNobodyMaySteal) {
    LeftLoop loop{.one_in = 8, .monotonic = true};
    loop.run(50000);
    loop.run(50000);
    EXPECT_LT(loop.passed_ns, 1.1 * loop.best_ns);
}

TEST(Auto, ALoopThatLosesSomethingInVeryFewExecutionsIsLeft) {
    LeftLoop loop{.one_in = 200};
    loop.run(20000);
    loop.run(50000);
    EXPECT_GT(loop.left, 45000);
}

TEST(Auto, ALoopWithAnIterationForEachWorkerIsLeftWhateverItLoses) {
    LeftLoop loop{.one_in = 4, .iterations = 16};
    loop.run(20000);
    loop.run(50000);
    EXPECT_EQ(loop.with_static, 50000);
    EXPECT_GT(loop.left, 40000);
}

}  // namespace
