// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/loan.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "other_thread.hpp"

namespace gimbal {
namespace {

using test::allowed_cores;
using test::OtherThread;

const gimbal_meeting kMeeting{4, 0, 0, {nullptr, 0}, nullptr, nullptr, nullptr};

class Loan : public testing::Test {
protected:
    void SetUp() override {
        cores_ = allowed_cores();
        if (cores_.size() < 2) GTEST_SKIP() << "needs two cores";
        ASSERT_TRUE(own_.read(0));
        test::bind(0, cores_[0]);
    }
    void TearDown() override { (void)own_.apply(0); }

    std::vector<int> cores_;
    CoreMask own_;
};

TEST_F(Loan, TheBorrowerGetsTheLendersCoreAndItsOwnMaskBack) {
    OtherThread other(cores_[1], false);
    const CoreMask before = other.mask();
    const std::uint64_t lent = gimbal_cores_lent();
    const LoanName name = begin_loan(other.waiter(), kMeeting);
    ASSERT_NE(name, 0U);
    EXPECT_EQ(other.borrowed(), name);
    EXPECT_TRUE(stands(name));
    EXPECT_TRUE(other.mask().has(cores_[0]));
    end_loan(name);
    EXPECT_FALSE(stands(name));
    EXPECT_EQ(other.mask(), before);
    end_loan(name);  // the other side, later
    EXPECT_EQ(other.mask(), before);
    EXPECT_EQ(gimbal_cores_lent(), lent + 1);
}

// To push it off the core another thread would have to take that from its mask, and what it starts inherits the mask.
TEST_F(Loan, WhoMayRunOnThatCoreAnywayEndsItItself) {
    std::atomic<gimbal_waiter*> borrower{nullptr};
    std::atomic<bool> lent{false};
    std::thread other([&] {
        (void)own_.apply(0);
        gimbal_waiter* const mine = gimbal_waiter_mine();
        borrower.store(mine);
        while (!lent.load()) sched_yield();
        gimbal_waiter_home(mine);
        EXPECT_EQ(mine->borrowed, 0U);
        CoreMask mask;
        EXPECT_TRUE(mask.read(0));
        EXPECT_EQ(mask, own_);
    });
    while (!borrower.load()) sched_yield();
    const LoanName name = begin_loan(*borrower.load(), kMeeting);
    CoreMask mask;
    EXPECT_TRUE(mask.read(static_cast<pid_t>(borrower.load()->thread)));
    EXPECT_EQ(mask, own_);
    end_loan(name);
    EXPECT_TRUE(stands(name));
    lent.store(true);
    other.join();
    EXPECT_FALSE(stands(name));
}

TEST_F(Loan, NobodyBorrowsTwice) {
    OtherThread other(cores_[1], false);
    const LoanName name = begin_loan(other.waiter(), kMeeting);
    ASSERT_NE(name, 0U);
    EXPECT_EQ(begin_loan(other.waiter(), kMeeting), 0U);
    end_loan(name);
}

TEST_F(Loan, WhoHasEndedGetsNothingAndNothingIsLeftBehind) {
    gimbal_waiter gone{};
    {
        OtherThread other(cores_[1], false);
        gone.thread = other.tid();
    }
    // Joined is not yet gone: the kernel tells before it has put the thread away.
    while (syscall(SYS_tgkill, getpid(), gone.thread, 0) == 0) sched_yield();
    for (const std::int64_t number : {gone.thread, std::int64_t{0}}) {  // 0 would be the lender itself
        gone.thread = number;
        EXPECT_EQ(begin_loan(gone, kMeeting), 0U);
        EXPECT_EQ(gone.borrowed, 0U);
    }
}

TEST_F(Loan, WhoHasComeGetsNothing) {
    OtherThread other(cores_[1], false);
    const CoreMask before = other.mask();
    gimbal_waiter_reach(&other.waiter(), kMeeting.name);
    EXPECT_EQ(begin_loan(other.waiter(), kMeeting), 0U);
    EXPECT_EQ(other.borrowed(), 0U);
    EXPECT_EQ(other.mask(), before);
}

TEST_F(Loan, WhoMayGoOnLendsNothing) {
    OtherThread other(cores_[1], false);
    const volatile std::uint64_t go = 1;
    gimbal_meeting over = kMeeting;
    over.release = {&go, 1};
    EXPECT_EQ(begin_loan(other.waiter(), over), 0U);
    EXPECT_EQ(other.borrowed(), 0U);
}

TEST_F(Loan, AnOldNameDoesNotEndALaterLoan) {
    OtherThread first(cores_[1], false);
    OtherThread second(cores_[1], false);
    const LoanName old = begin_loan(first.waiter(), kMeeting);
    end_loan(old);
    const LoanName name = begin_loan(second.waiter(), kMeeting);
    ASSERT_NE(name, 0U);
    ASSERT_NE(name, old);
    end_loan(old);
    EXPECT_TRUE(stands(name));
    EXPECT_TRUE(second.mask().has(cores_[0]));
    end_loan(name);
}

TEST_F(Loan, InAPauseNoneStandsAndNoneBegins) {
    OtherThread other(cores_[1], false);
    const CoreMask before = other.mask();
    const LoanName name = begin_loan(other.waiter(), kMeeting);
    ASSERT_NE(name, 0U);
    EXPECT_EQ(gimbal_loans_pause(), 1);
    EXPECT_FALSE(stands(name));
    EXPECT_EQ(other.mask(), before);
    EXPECT_EQ(begin_loan(other.waiter(), kMeeting), 0U);
    EXPECT_EQ(gimbal_loans_pause(), 1) << "by another thread";
    gimbal_loans_resume();
    EXPECT_EQ(begin_loan(other.waiter(), kMeeting), 0U) << "the first pause lasts";
    gimbal_loans_resume();
    end_loan(name);  // the lender, later
    const LoanName next = begin_loan(other.waiter(), kMeeting);
    EXPECT_NE(next, 0U);
    end_loan(next);
    EXPECT_EQ(other.mask(), before);
}

TEST_F(Loan, AChildNeitherHasNorEndsThoseOfItsParent) {
    OtherThread other(cores_[1], false);
    const LoanName standing = begin_loan(other.waiter(), kMeeting);
    ASSERT_NE(standing, 0U);
    const CoreMask lent = other.mask();
    const pid_t child = fork();
    if (child == 0) {
        restart_loans_in_child();  // as the handler of the library does
        end_loan(standing);
        _exit(stands(standing) ? 1 : 0);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(stands(standing));
    EXPECT_EQ(other.mask(), lent);
    end_loan(standing);
}

// Masks are read and set by a third party, as placement does, while a team lends.
TEST_F(Loan, WhoPausesSeesNoMaskOfALoanHoweverOftenOneIsLent) {
    OtherThread other(cores_[1], false);
    const CoreMask before = other.mask();
    std::atomic<bool> over{false};
    std::thread third([&] {
        (void)own_.apply(0);  // not on the lender's core, where it would wait for the end of each slice
        for (int i = 0; i < 300; ++i) {
            if (gimbal_loans_pause() != 0) {
                EXPECT_EQ(other.mask(), before);
            }
            gimbal_loans_resume();
            sched_yield();
        }
        over.store(true);
    });
    int lent = 0;
    while (!over.load() || lent == 0) {
        const LoanName name = begin_loan(other.waiter(), kMeeting);
        lent += name != 0 ? 1 : 0;
        if (name != 0 && lent % 2 == 0) end_loan(name);
        gimbal_waiter_home(&other.waiter());
    }
    third.join();
    EXPECT_EQ(other.mask(), before);
}

TEST_F(Loan, WhenAllNotesAreInUseNothingIsLent) {
    OtherThread other(cores_[1], false);
    std::vector<gimbal_waiter> borrowers(100);
    std::vector<LoanName> names;
    for (gimbal_waiter& borrower : borrowers) {
        borrower.thread = other.tid();
        if (const LoanName name = begin_loan(borrower, kMeeting)) names.push_back(name);
    }
    EXPECT_GT(names.size(), 1U);
    EXPECT_LT(names.size(), borrowers.size());
    EXPECT_EQ(borrowers.back().borrowed, 0U);
    for (auto name = names.rbegin(); name != names.rend(); ++name) end_loan(*name);
    EXPECT_FALSE(other.mask().has(cores_[0]));
}

// The borrower and the lender both end each of many loans, as soon as they know of it.
TEST_F(Loan, BothSidesMayEndItAtTheSameTime) {
    constexpr int kLoans = 1000;
    std::atomic<LoanName> told{0};
    std::atomic<int> ended{0};
    std::atomic<gimbal_waiter*> borrower{nullptr};
    std::thread other([&] {
        test::bind(0, cores_[1]);
        gimbal_waiter* const mine = gimbal_waiter_mine();
        borrower.store(mine);
        while (ended.load() < kLoans) {
            gimbal_waiter_home(mine);
            sched_yield();
        }
        gimbal_waiter_home(mine);
        CoreMask mask;
        EXPECT_TRUE(mask.read(0));
        EXPECT_EQ(mask, mask.only(cores_[1]));
    });
    while (!borrower.load()) sched_yield();
    while (ended.load() < kLoans) {
        if (const LoanName name = begin_loan(*borrower.load(), kMeeting)) {
            end_loan(name);
            EXPECT_FALSE(stands(name));
            ended.fetch_add(1);
        } else {
            sched_yield();
        }
    }
    other.join();
}

}  // namespace
}  // namespace gimbal
