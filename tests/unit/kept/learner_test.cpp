// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop's learning saves lets another one, in a later run, begin where the first ended. In virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "experiment/virtual_loop.hpp"
#include "loop/learning.hpp"
#include "measure/expectation.hpp"
#include "simulate/work.hpp"

namespace {

using namespace gimbal;
using namespace gimbal::simulate;

constexpr std::uint64_t kIterations = 2000;
constexpr std::uint32_t kWorkers = 8;

ListedWork rising(double most_ns, std::uint64_t iterations = kIterations) {
    std::vector<double> costs(iterations);
    for (std::size_t i = 0; i < costs.size(); ++i)
        costs[i] = most_ns * static_cast<double>(i + 1) / static_cast<double>(iterations);
    return ListedWork(costs);
}

ListedWork falling(double most_ns) {
    std::vector<double> costs(kIterations);
    for (std::size_t i = 0; i < kIterations; ++i)
        costs[i] = most_ns * static_cast<double>(kIterations - i) / static_cast<double>(kIterations);
    return ListedWork(costs);
}

/// One run of a program with one loop.
class ProgramRun {
public:
    explicit ProgramRun(const std::string& earlier = {}) : earlier_(earlier), loop_("loop", kWorkers, 0.4) {
        set_option("background", "off");
        if (!earlier_.empty()) loop_.learning().restore(earlier_);
    }
    ProgramRun(const ProgramRun&) = delete;
    ProgramRun& operator=(const ProgramRun&) = delete;

    ProgramRun& steps(const Work& work, int count, std::uint64_t iterations = kIterations) {
        for (int k = 0; k < count; ++k) {
            Machine machine{.dispatch = 100, .serial = 40, .own_dispatch = 2, .queue_dispatch = 20, .stamp = 40};
            machine.chunk_noise = 0.01;
            machine.seed = ++number_;
            seen_.push_back(loop_.run({.trip = iterations, .shared_cores = shared_cores_}, work, machine));
        }
        return *this;
    }
    /// Whether other programs use its cores from now on.
    ProgramRun& share_cores(bool shared) {
        shared_cores_ = shared;
        return *this;
    }

    [[nodiscard]] std::string saved() { return loop_.learning().save(); }
    [[nodiscard]] EarlierRun earlier() { return loop_.learning().earlier_run(); }
    [[nodiscard]] const std::vector<StepRow>& seen() const { return seen_; }
    [[nodiscard]] double time(std::size_t from, std::size_t count) const {
        double sum = 0;
        for (std::size_t k = from; k < from + count; ++k) sum += seen_[k].loop_time;
        return sum;
    }

private:
    std::string earlier_;
    VirtualLoop loop_;
    std::vector<StepRow> seen_;
    std::uint64_t number_ = 0;
    bool shared_cores_ = false;
};

TEST(KeptLearning, ASecondRunBeginsWhereTheFirstEnded) {
    const ListedWork work = rising(1000);
    ProgramRun first;
    first.steps(work, 100);
    ProgramRun second(first.saved());
    second.steps(work, 10);
    EXPECT_EQ(second.earlier(), EarlierRun::used);
    EXPECT_FALSE(second.seen().front().exploring);
    EXPECT_TRUE(first.seen().front().exploring) << "else there is nothing to be spared";
    EXPECT_EQ(second.seen().front().schedule, first.seen().back().schedule);
    EXPECT_LE(second.time(0, 10), 1.02 * first.time(90, 10));
    EXPECT_LT(second.time(0, 3), 0.99 * first.time(0, 3));
}

TEST(KeptLearning, RunsOfAFewStepsLearnTogether) {
    const ListedWork work = rising(1000);
    std::string saved;
    for (int run = 0; run < 10; ++run) {
        ProgramRun next(saved);
        next.steps(work, 4);
        EXPECT_EQ(next.earlier(), run == 0 ? EarlierRun::unknown : EarlierRun::used) << run;
        EXPECT_EQ(next.seen().front().exploring, run == 0) << run;
        saved = next.saved();
    }
}

TEST(KeptLearning, OtherInputIsNoticedAndLearntAnew) {
    ProgramRun first;
    first.steps(rising(1000), 100);
    const std::string saved = first.saved();
    for (const double most_ns : {10'000.0, 100.0}) {
        const ListedWork other = rising(most_ns);
        ProgramRun second(saved);
        second.steps(other, 60);
        EXPECT_EQ(second.earlier(), EarlierRun::dropped) << most_ns;
        ProgramRun without;
        without.steps(other, 60);
        EXPECT_LE(second.time(0, 60), 1.05 * without.time(0, 60)) << most_ns;
        ProgramRun third(second.saved());
        third.steps(other, 10);
        EXPECT_EQ(third.earlier(), EarlierRun::used) << "what was learnt instead is kept";
    }
}

TEST(KeptLearning, ExecutionsOnSharedCoresNeitherBreakThePromiseNorKeepIt) {
    ProgramRun first;
    first.steps(rising(1000), 100);
    const std::string saved = first.saved();
    ProgramRun second(saved);
    second.share_cores(true).steps(rising(10'000), 6);
    EXPECT_EQ(second.earlier(), EarlierRun::used);
    ProgramRun third(second.saved());
    third.steps(rising(1000), 10);
    EXPECT_EQ(third.earlier(), EarlierRun::used) << "nothing else was promised meanwhile";
    second.share_cores(false).steps(rising(10'000), 10);
    EXPECT_EQ(second.earlier(), EarlierRun::dropped) << "it is checked still";
}

// The time is the same, only where it is spent differs: stealing makes up for the profile until it is measured anew.
TEST(KeptLearning, AWrongProfileCostsLittle) {
    ProgramRun first;
    first.steps(rising(1000), 100);
    ProgramRun second(first.saved()), without;
    second.steps(falling(1000), 60);
    without.steps(falling(1000), 60);
    EXPECT_LE(second.time(0, 10), 1.05 * without.time(0, 10));
    EXPECT_LE(second.time(0, 60), 1.03 * without.time(0, 60));
}

TEST(KeptLearning, EachTripCountHasItsOwn) {
    const ListedWork few = rising(1000, 500), many = rising(1000, 50'000), other = rising(1000, 5000);
    ProgramRun first;
    first.steps(few, 40, 500).steps(many, 40, 50'000);
    ProgramRun second(first.saved());
    second.steps(many, 1, 50'000).steps(other, 1, 5000).steps(many, 3, 50'000);
    EXPECT_EQ(second.earlier(), EarlierRun::used);
    EXPECT_FALSE(second.seen().front().exploring);
    ProgramRun third(second.saved());
    third.steps(few, 1, 500);
    EXPECT_EQ(third.earlier(), EarlierRun::used) << "what the second run did not meet is not forgotten";
    EXPECT_FALSE(third.seen().front().exploring);
}

TEST(KeptLearning, BytesOfAnotherKindAreAsIfThereWereNone) {
    const ListedWork work = rising(1000);
    ProgramRun first;
    first.steps(work, 40);
    const std::string saved = first.saved();
    ASSERT_GT(saved.size(), 100U);
    for (std::size_t length = 1; length < saved.size(); length += 7) {
        ProgramRun cut(saved.substr(0, length));
        cut.steps(work, 2);
        EXPECT_NE(cut.earlier(), EarlierRun::used) << length;
    }
    for (std::size_t at = 0; at < saved.size(); at += 7) {
        std::string damaged = saved;
        damaged[at] = static_cast<char>(~damaged[at]);
        ProgramRun run(damaged);  // whatever comes of it: the checksum of the file lets none of these get here
        run.steps(work, 6);
        EXPECT_EQ(run.seen().back().iterations, kIterations) << at;
    }
}

std::vector<WorkerSlot> short_slots() {
    std::vector<WorkerSlot> slots(2);
    for (WorkerSlot& slot : slots) slot.record = {.begin = 0, .end = 3000, .chunks = 1, .iterations = 50};
    return slots;
}

/// An execution of them ends. @pre opening.plan
void close_short(LoopLearning& loop, const Opening& opening) {
    std::vector<WorkerSlot> slots = short_slots();
    for (WorkerSlot& slot : slots)
        if (opening.config.sampled) slot.begin_costs(100, 2);
    loop.close({opening.config, opening.decision, *opening.plan, slots});
}

TEST(KeptLearning, AShortLoopIsLeftFromItsFirstExecutionOn) {
    set_option("background", "off");
    LoopClock nanoseconds;
    nanoseconds.tick_s = []() noexcept { return 1e-9; };
    const Request request{.trip = 100, .can_leave = true};
    LoopLearning first("loop", 2, nanoseconds);
    int opened = 0;
    for (Opening opening = first.open(request); opening.plan; opening = first.open(request)) {
        ASSERT_LT(++opened, 20) << "it is never left";
        close_short(first, opening);
    }
    const std::string saved = first.save();
    LoopLearning second("loop", 2, nanoseconds);
    second.restore(saved);
    EXPECT_GE(second.leave_at_once(request), 1e6) << "a millisecond";
    EXPECT_EQ(second.earlier_run(), EarlierRun::used);
    EXPECT_EQ(second.leave_at_once(request), 0) << "once";
    const std::string again = second.save();  // an execution that was left teaches nothing, and nothing is lost
    EXPECT_EQ(again, saved);
    const Opening look = second.open(request);
    ASSERT_TRUE(look.plan) << "then it is seen whether that still holds";
    EXPECT_EQ(look.decision.schedule.technique->info().name, "static");
    close_short(second, look);
    EXPECT_FALSE(second.open(request).plan);
}

// Where many loops are left each is left for longer, so that the looks at all take little time.
TEST(KeptLearning, HoweverLongALoopIsLeftALaterRunReadsIt) {
    set_option("background", "off");
    LoopClock nanoseconds;
    nanoseconds.tick_s = []() noexcept { return 1e-9; };
    double longest_s = 0;
    for (std::uint32_t loops = 1; loops <= 100'000'000; loops *= 10) {
        const Request request{.trip = 100, .can_leave = true, .left_loops = loops};
        LoopLearning first("loop", 2, nanoseconds);
        for (int left = 0, k = 0; left < 3 && k < 40; ++k) {
            const Opening opening = first.open(request);
            left += !opening.plan;
            if (opening.plan) close_short(first, opening);
        }
        const std::string saved = first.save();
        LoopLearning second("loop", 2, nanoseconds);
        second.restore(saved);
        const double left_s = 1e-9 * second.leave_at_once(request);
        EXPECT_GE(left_s, 1e-3) << loops;
        longest_s = std::max(longest_s, left_s);
        ASSERT_TRUE(second.open(request).plan);
        EXPECT_EQ(second.earlier_run(), EarlierRun::used) << loops;
        EXPECT_EQ(second.save(), saved) << loops;
    }
    EXPECT_GT(longest_s, 1) << "else this shows nothing";
}

TEST(KeptLearning, WhatCannotBeReadIsSaidToBeDropped) {
    ProgramRun first;
    first.steps(rising(1000), 40);
    std::string damaged = first.saved();
    const float no_time = -1;  // behind the number of lengths, the first one's iterations, and its size
    std::memcpy(damaged.data() + 1 + sizeof(std::uint64_t) + sizeof(std::uint16_t), &no_time, sizeof no_time);
    ProgramRun second(damaged);
    second.steps(rising(1000), 2);
    EXPECT_EQ(second.earlier(), EarlierRun::dropped);
}

TEST(KeptLearning, ALoopIsLeftOnlyWhereItCanBe) {
    set_option("background", "off");
    LoopLearning first("loop", 2);
    const Request request{.trip = 100, .can_leave = true};
    for (int k = 0; k < 20; ++k) {
        const Opening opening = first.open(request);
        if (!opening.plan) break;
        std::vector<WorkerSlot> slots = short_slots();
        for (WorkerSlot& slot : slots)
            if (opening.config.sampled) slot.begin_costs(100, 2);
        first.close({opening.config, opening.decision, *opening.plan, slots});
    }
    const std::string saved = first.save();
    for (const Request& other : {Request{.trip = 100}, Request{.trip = 200, .can_leave = true},
                                 Request{.trip = 100, .can_leave = true, .schedule = {.chunk = 4}}}) {
        LoopLearning second("loop", 2);
        second.restore(saved);
        EXPECT_EQ(second.leave_at_once(other), 0);
        EXPECT_TRUE(second.open(other).plan);
    }
}

TEST(Expectation, OneExecutionThatIsUnlikeTheOthersIsAllowed) {
    Expectation first;
    for (int k = 0; k < 20; ++k) EXPECT_FALSE(first.take_in(k % 2 ? 100 : 104, 0.05));
    ByteWriter to;
    first.save(to, 1e-9);
    const auto restored = [&] {
        ByteReader from(to.bytes());
        Expectation expectation;
        expectation.restore(from, 1e-9);
        EXPECT_TRUE(from.done());
        return expectation;
    };
    Expectation second = restored();
    EXPECT_FALSE(second.take_in(1000, 0.05)) << "cold caches";
    for (int k = 0; k < 20; ++k) EXPECT_FALSE(second.take_in(110, 0.05));
    EXPECT_FALSE(second.take_in(1000, 0.9)) << "the promise was kept, and that is that";
    EXPECT_FALSE(second.take_in(1000, 0.9));
    for (const double time : {200.0, 50.0}) {
        Expectation third = restored();
        EXPECT_FALSE(third.take_in(time, 0.05));
        EXPECT_TRUE(third.take_in(time, 0.05)) << time;
        EXPECT_FALSE(third.take_in(time, 0.05)) << "once";
    }
    Expectation unbalanced = restored();
    EXPECT_FALSE(unbalanced.take_in(102, 0.5));
    EXPECT_TRUE(unbalanced.take_in(102, 0.5));
}

TEST(Expectation, WhereTimesVaryMoreIsAllowed) {
    Expectation first;
    for (int k = 0; k < 20; ++k) EXPECT_FALSE(first.take_in(k % 2 ? 100 : 200, 0));
    ByteWriter to;
    first.save(to, 1e-9);
    ByteReader from(to.bytes());
    Expectation second;
    second.restore(from, 1e-9);
    for (int k = 0; k < 4; ++k) EXPECT_FALSE(second.take_in(k % 2 ? 80 : 280, 0));
}

}  // namespace
