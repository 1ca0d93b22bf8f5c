// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On real threads of this process. Where only one processor may be used, what needs two is skipped by name.
#include "act/actuator.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <memory>

#include "machine/affinity.hpp"
#include "support.hpp"

namespace {
/// Whether the mask that was set last named every processor that it could.
bool set_all = false;
}  // namespace

/// The C library's, and notes masks.
extern "C" long syscall(long number, ...) noexcept {
    static const auto next = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
    va_list list;
    va_start(list, number);
    std::array<long, 6> words{};
    for (long& word : words) word = va_arg(list, long);
    va_end(list);
    if (number == SYS_sched_setaffinity) {
        const auto* const mask = reinterpret_cast<const unsigned long*>(words[2]);
        const auto count = static_cast<std::size_t>(words[1]) / sizeof *mask;
        set_all = std::all_of(mask, mask + count, [](unsigned long word) { return word == ~0UL; });
    }
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

namespace gimbal::pin {
namespace {

using test::Repeating;
using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<int>;

class ActuatorTest : public testing::Test {
protected:
    [[nodiscard]] static Numbers mask_of(pid_t tid) {
        Numbers mask;
        EXPECT_EQ(get_affinity(tid, mask), 0);
        return mask;
    }
    [[nodiscard]] Numbers first() const { return {all_.front()}; }
    [[nodiscard]] Numbers last() const { return {all_.back()}; }
    [[nodiscard]] bool one_only() const { return all_.size() < 2; }

    const Numbers all_ = allowed_pus(0);
};

#define NEEDS_TWO() \
    if (one_only()) GTEST_SKIP() << "only one processor may be used here"

TEST_F(ActuatorTest, PlacesAndGivesBack) {
    const Repeating thread(test::nap);
    Actuator actuator(all_);
    EXPECT_EQ(actuator.take(thread.tid()), Outcome::done);
    EXPECT_EQ(actuator.place(thread.tid(), first()), Outcome::done);
    EXPECT_EQ(mask_of(thread.tid()), first());
    EXPECT_EQ(actuator.check(thread.tid()), Holder::ours);
    EXPECT_EQ(actuator.place(thread.tid(), first()), Outcome::unchanged);
    EXPECT_EQ(actuator.own_mask(thread.tid()), all_);
    EXPECT_EQ(actuator.release(thread.tid()), Outcome::done);
    EXPECT_EQ(mask_of(thread.tid()), all_);
    EXPECT_EQ(actuator.release(thread.tid()), Outcome::unchanged);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::ours);
}

TEST_F(ActuatorTest, NeverGoesOutsideOfTheCeiling) {
    NEEDS_TWO();
    const Repeating thread(test::nap);
    Actuator actuator(first());
    ASSERT_EQ(actuator.take(thread.tid(), true), Outcome::done);
    EXPECT_EQ(actuator.place(thread.tid(), last()), Outcome::outside);
    EXPECT_EQ(actuator.place(thread.tid(), all_), Outcome::outside);
    EXPECT_EQ(actuator.place(thread.tid(), Numbers{}), Outcome::outside);
    EXPECT_EQ(actuator.place(thread.tid(), Numbers{1, 0}), Outcome::outside);
    EXPECT_EQ(mask_of(thread.tid()), all_);
}

TEST_F(ActuatorTest, RestoresEveryThreadAtTheEnd) {
    const Repeating a(test::nap), b(test::spin);
    {
        Actuator actuator(all_);
        for (const pid_t tid : {a.tid(), b.tid()}) {
            ASSERT_EQ(actuator.take(tid), Outcome::done);
            ASSERT_EQ(actuator.place(tid, last()), Outcome::done);
        }
    }
    EXPECT_EQ(mask_of(a.tid()), all_);
    EXPECT_EQ(mask_of(b.tid()), all_);
}

TEST_F(ActuatorTest, RestoresWhateverUnwindsIt) {
    const Repeating thread(test::nap);
    try {
        Actuator actuator(all_);
        actuator.take(thread.tid());
        actuator.place(thread.tid(), last());
        throw std::runtime_error("the manager has failed");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(mask_of(thread.tid()), all_);
}

TEST_F(ActuatorTest, ANarrowMaskFromBeforeIsLeftAloneAndRestored) {
    NEEDS_TWO();
    const Repeating thread(test::nap, [&] { (void)set_affinity(0, first()); });
    {
        Actuator actuator(all_);
        EXPECT_EQ(actuator.take(thread.tid()), Outcome::yielded);
        EXPECT_EQ(actuator.place(thread.tid(), last()), Outcome::yielded);
        EXPECT_EQ(mask_of(thread.tid()), first());
        EXPECT_THAT(actuator.take_warnings(), ElementsAre(HasSubstr("already")));
    }
    {
        Actuator forced(all_);
        EXPECT_EQ(forced.take(thread.tid(), true), Outcome::done);
        EXPECT_EQ(forced.place(thread.tid(), last()), Outcome::done);
    }
    EXPECT_EQ(mask_of(thread.tid()), first());
}

TEST_F(ActuatorTest, StepsBackWhenSomebodyElseBindsAndWarnsOnce) {
    NEEDS_TWO();
    const Repeating a(test::nap), b(test::nap);
    Actuator actuator(all_);
    for (const pid_t tid : {a.tid(), b.tid()}) {
        ASSERT_EQ(actuator.take(tid), Outcome::done);
        ASSERT_EQ(actuator.place(tid, first()), Outcome::done);
        ASSERT_EQ(set_affinity(tid, last()), 0);
        EXPECT_EQ(actuator.check(tid), Holder::another);
        EXPECT_EQ(actuator.place(tid, first()), Outcome::yielded);
        EXPECT_TRUE(actuator.is_yielded(tid));
    }
    EXPECT_EQ(actuator.take_warnings().size(), 1U);
    EXPECT_TRUE(actuator.take_warnings().empty());
    actuator.restore_all();
    EXPECT_EQ(mask_of(a.tid()), last());
}

TEST_F(ActuatorTest, WhoHasItsOwnMaskBackIsStillOurs) {
    NEEDS_TWO();
    const Repeating thread(test::nap);
    Actuator actuator(all_);
    ASSERT_EQ(actuator.take(thread.tid()), Outcome::done);
    ASSERT_EQ(actuator.place(thread.tid(), first()), Outcome::done);
    EXPECT_EQ(actuator.given_mask(thread.tid()), first());
    ASSERT_EQ(set_affinity(thread.tid(), all_), 0);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::self);
    EXPECT_EQ(actuator.place(thread.tid(), first()), Outcome::done) << "although that is what it was given before";
    EXPECT_EQ(actuator.check(thread.tid()), Holder::ours);
    ASSERT_EQ(set_affinity(thread.tid(), last()), 0);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::another) << "that is a wish";
}

TEST_F(ActuatorTest, SomebodysWishSinceTheLastLookSurvivesTheEnd) {
    NEEDS_TWO();
    const Repeating thread(test::nap);
    {
        Actuator actuator(all_);
        ASSERT_EQ(actuator.take(thread.tid()), Outcome::done);
        ASSERT_EQ(actuator.place(thread.tid(), first()), Outcome::done);
        ASSERT_EQ(set_affinity(thread.tid(), last()), 0);
    }
    EXPECT_EQ(mask_of(thread.tid()), last());
}

TEST_F(ActuatorTest, AThreadThatIsWhereAnotherOneWasPlacedIsTakenForBound) {
    NEEDS_TWO();
    const Repeating ours(test::nap), other(test::nap);
    Actuator actuator(all_);
    ASSERT_EQ(actuator.take(ours.tid()), Outcome::done);
    ASSERT_EQ(actuator.place(ours.tid(), first()), Outcome::done);
    ASSERT_EQ(set_affinity(other.tid(), first()), 0);
    EXPECT_EQ(actuator.take(other.tid()), Outcome::yielded);
    EXPECT_EQ(actuator.place(other.tid(), last()), Outcome::yielded);
    EXPECT_EQ(mask_of(other.tid()), first());
}

TEST_F(ActuatorTest, AThreadThatTheProgramBindsToWhatItWasGivenStaysThere) {
    NEEDS_TWO();
    const Repeating thread(test::nap);
    {
        Actuator actuator(all_);
        EXPECT_EQ(actuator.leave(thread.tid()), Outcome::gone) << "not known yet";
        ASSERT_EQ(actuator.take(thread.tid()), Outcome::done);
        ASSERT_EQ(actuator.place(thread.tid(), first()), Outcome::done);
        EXPECT_EQ(actuator.leave(thread.tid()), Outcome::yielded);
        EXPECT_EQ(actuator.check(thread.tid()), Holder::another);
        EXPECT_EQ(actuator.place(thread.tid(), last()), Outcome::yielded);
        EXPECT_EQ(actuator.release(thread.tid()), Outcome::yielded);
        EXPECT_THAT(actuator.take_warnings(), ElementsAre(HasSubstr("the program has bound")));
    }
    EXPECT_EQ(mask_of(thread.tid()), first());
}

TEST_F(ActuatorTest, AThreadThatIsNotOursLosesWhatItInheritedAndKeepsWhatItWished) {
    NEEDS_TWO();
    const Repeating ours(test::nap), heir(test::nap), bound(test::nap);
    Actuator actuator(all_);
    ASSERT_EQ(actuator.take(ours.tid()), Outcome::done);
    ASSERT_EQ(actuator.place(ours.tid(), first()), Outcome::done);
    ASSERT_EQ(set_affinity(heir.tid(), first()), 0);
    ASSERT_EQ(set_affinity(bound.tid(), last()), 0);
    EXPECT_EQ(actuator.free_heir(heir.tid()), Outcome::done);
    EXPECT_EQ(set_all, is_all_granted(0, all_)) << "it gets what the group grants later, too";
    EXPECT_EQ(mask_of(heir.tid()), all_);
    EXPECT_EQ(actuator.free_heir(heir.tid()), Outcome::unchanged);
    EXPECT_EQ(actuator.free_heir(bound.tid()), Outcome::unchanged);
    EXPECT_EQ(mask_of(bound.tid()), last());
}

TEST_F(ActuatorTest, AProcessorThatGoesAwayIsTheKernelsDoing) {
    NEEDS_TWO();
    const Repeating thread(test::nap), witness(test::nap);
    Actuator actuator(all_, 0, witness.tid());
    ASSERT_EQ(actuator.take(thread.tid()), Outcome::done);
    ASSERT_EQ(actuator.place(thread.tid(), first()), Outcome::done);
    // As the kernel does when a control group loses a processor: every mask changes, the witness's too.
    ASSERT_EQ(set_affinity(witness.tid(), last()), 0);
    ASSERT_EQ(set_affinity(thread.tid(), last()), 0);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::kernel);
    actuator.set_ceiling(last());
    EXPECT_EQ(actuator.check(thread.tid()), Holder::kernel);
    EXPECT_EQ(actuator.place(thread.tid(), first()), Outcome::outside);
    EXPECT_EQ(actuator.place(thread.tid(), last()), Outcome::done);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::ours);
    EXPECT_TRUE(actuator.take_warnings().empty());
    ASSERT_EQ(set_affinity(witness.tid(), all_), 0);
    actuator.set_ceiling(all_);
    actuator.restore_all();
    EXPECT_EQ(mask_of(thread.tid()), all_);
}

TEST_F(ActuatorTest, AWishAfterTheCeilingHasChangedIsAWishAlsoOfAThreadThatWasNotPlacedSince) {
    NEEDS_TWO();
    const Repeating stays(test::nap), free(test::nap), witness(test::nap);
    Actuator actuator(all_, 0, witness.tid());
    for (const pid_t tid : {stays.tid(), free.tid()}) ASSERT_EQ(actuator.take(tid), Outcome::done);
    ASSERT_EQ(actuator.place(stays.tid(), first()), Outcome::done);
    for (const pid_t tid : {witness.tid(), free.tid()}) ASSERT_EQ(set_affinity(tid, first()), 0);
    actuator.set_ceiling(first());
    for (const pid_t tid : {stays.tid(), free.tid()}) {
        EXPECT_EQ(actuator.check(tid), Holder::ours) << "in the same look";
        EXPECT_EQ(actuator.check(tid), Holder::ours) << "in the next";
        ASSERT_EQ(set_affinity(tid, last()), 0);
        EXPECT_EQ(actuator.check(tid), Holder::another);
    }
}

TEST_F(ActuatorTest, WhoIsChangedByTheKernelALittleLaterThanTheWitnessIsNotBoundByAnybody) {
    NEEDS_TWO();
    const Repeating thread(test::nap), witness(test::nap);
    Actuator actuator(first(), 0, witness.tid());
    ASSERT_EQ(actuator.take(thread.tid(), true), Outcome::done);
    ASSERT_EQ(actuator.place(thread.tid(), first()), Outcome::done);
    actuator.set_ceiling(all_);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::ours);
    ASSERT_EQ(set_affinity(thread.tid(), last()), 0);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::kernel);
}

TEST_F(ActuatorTest, WhoWasNotPlacedTakesWhatTheKernelLeavesItAndAWishAfterwardsIsAWish) {
    NEEDS_TWO();
    const Repeating thread(test::nap), witness(test::nap);
    Actuator actuator(all_, 0, witness.tid());
    ASSERT_EQ(actuator.take(thread.tid()), Outcome::done);
    for (const pid_t tid : {witness.tid(), thread.tid()}) ASSERT_EQ(set_affinity(tid, first()), 0);
    actuator.set_ceiling(first());
    ASSERT_EQ(set_affinity(thread.tid(), all_), 0) << "as if it came late";
    EXPECT_EQ(actuator.check(thread.tid()), Holder::kernel);
    ASSERT_EQ(set_affinity(thread.tid(), last()), 0);
    EXPECT_EQ(actuator.check(thread.tid()), Holder::another);
}

TEST_F(ActuatorTest, ANewCeilingSeenTooEarlyIsNotTakenForAWish) {
    NEEDS_TWO();
    const Repeating thread(test::nap), witness(test::nap);
    Actuator actuator(all_, 0, witness.tid());
    for (const pid_t tid : {witness.tid(), thread.tid()}) ASSERT_EQ(set_affinity(tid, first()), 0);
    EXPECT_EQ(actuator.take(thread.tid()), Outcome::refresh);
    EXPECT_EQ(actuator.size(), 0U);
    actuator.set_ceiling(first());
    EXPECT_EQ(actuator.take(thread.tid()), Outcome::done);
    EXPECT_EQ(actuator.place(thread.tid(), first()), Outcome::done);
    EXPECT_TRUE(actuator.take_warnings().empty());
}

TEST_F(ActuatorTest, ProcessorsThatDoNotExistAskForARefresh) {
    const Repeating thread(test::nap);
    Numbers wide = all_;
    wide.push_back(1023);
    Actuator actuator(wide);
    ASSERT_EQ(actuator.take(thread.tid(), true), Outcome::done);
    EXPECT_EQ(actuator.place(thread.tid(), Numbers{1023}), Outcome::refresh);
    EXPECT_EQ(mask_of(thread.tid()), all_);
    wide.back() = 4000;  // wider than the small mask
    actuator.set_ceiling(wide);
    EXPECT_EQ(actuator.place(thread.tid(), Numbers{4000}), Outcome::refresh);
}

TEST_F(ActuatorTest, EndedThreadsAreGone) {
    auto thread = std::make_unique<Repeating>(test::nap);
    const pid_t tid = thread->tid();
    Actuator actuator(all_);
    ASSERT_EQ(actuator.take(tid), Outcome::done);
    thread.reset();
    for (int i = 0; i < 200 && is_thread_of(0, tid); ++i) test::wait_ms(5);
    EXPECT_EQ(actuator.place(tid, first()), Outcome::gone);
    EXPECT_EQ(actuator.check(tid), Holder::gone);
    EXPECT_EQ(actuator.drop(tid), Outcome::unchanged);
    EXPECT_EQ(actuator.size(), 0U);
    EXPECT_EQ(actuator.check(tid), Holder::nobody);
    EXPECT_EQ(actuator.take(tid), Outcome::gone);
}

TEST_F(ActuatorTest, NumbersThatWentToAnotherProcessAreNotTouched) {
    EXPECT_FALSE(is_thread_of(0, getppid()));
    Actuator actuator(all_);
    EXPECT_EQ(actuator.take(getppid()), Outcome::gone);
    EXPECT_TRUE(is_thread_of(0, test::own_tid()));
}

}  // namespace
}  // namespace gimbal::pin
