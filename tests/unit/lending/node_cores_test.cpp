// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/node_cores.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gimbal/process_stat.hpp"

namespace gimbal {
namespace {

// Ranks of a node, here in one process: what they share is the memory.
class Node : public testing::Test {
protected:
    static constexpr int kRanks = 3;

    void SetUp() override {
        ASSERT_TRUE(before_.read(0));
        memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory_, MAP_FAILED);
        for (int i = 0; i < kRanks; ++i) {
            ranks_.push_back(std::make_unique<NodeCores>());
            ASSERT_TRUE(ranks_.back()->attach(memory_, kBytes, i, kRanks, 2));
        }
    }
    void TearDown() override {
        for (const auto& rank : ranks_) rank->detach();
        munmap(memory_, kBytes);
    }

    NodeCores& rank(int number) { return *ranks_[static_cast<std::size_t>(number)]; }

    static constexpr std::size_t kBytes = kRanks * NodeCores::kSlotBytes;
    CoreMask before_;
    void* memory_ = nullptr;
    std::vector<std::unique_ptr<NodeCores>> ranks_;
};

TEST_F(Node, AnOfferedCoreIsBorrowedOnce) {
    EXPECT_FALSE(rank(0).borrow());
    rank(1).lend(1);
    const BorrowedCore core = rank(0).borrow();
    ASSERT_TRUE(core);
    EXPECT_EQ(core.lender, 1U);
    EXPECT_FALSE(rank(0).borrow());
    EXPECT_FALSE(rank(2).borrow());
}

TEST_F(Node, NobodyBorrowsFromItself) {
    rank(0).lend(2);
    EXPECT_FALSE(rank(0).borrow());
    EXPECT_TRUE(rank(1).borrow());
}

TEST_F(Node, TheOwnerNeedNotWaitForTheBorrower) {
    rank(1).lend(1);
    const BorrowedCore core = rank(0).borrow();
    EXPECT_FALSE(rank(0).wanted(core));
    rank(1).take_back(1);
    EXPECT_TRUE(rank(0).wanted(core));
    EXPECT_FALSE(rank(2).borrow());
    rank(0).give_back(core);  // too late to be offered again
    EXPECT_FALSE(rank(2).borrow());
}

TEST_F(Node, WhatIsGivenBackOthersMayHave) {
    rank(1).lend(1);
    const BorrowedCore core = rank(0).borrow();
    rank(0).give_back(core);
    EXPECT_TRUE(rank(2).borrow());
}

TEST_F(Node, ACoreOfAnEarlierOfferIsNotGivenBackToALaterOne) {
    rank(1).lend(1);
    const BorrowedCore core = rank(0).borrow();
    rank(1).take_back(1);
    rank(1).lend(1);
    EXPECT_TRUE(rank(0).wanted(core));
    rank(0).give_back(core);
    EXPECT_TRUE(rank(2).borrow());
    EXPECT_FALSE(rank(2).borrow());
}

TEST_F(Node, CoresAreWantedByOthersOnly) {
    NodeCores alone;
    EXPECT_FALSE(alone.wanted_by_others());
    alone.want();
    const bool crowded = before_.cores() < 2 * kRanks;
    EXPECT_EQ(rank(0).wanted_by_others(), crowded);
    rank(0).want();
    EXPECT_EQ(rank(0).wanted_by_others(), crowded);
    EXPECT_TRUE(rank(1).wanted_by_others());
    EXPECT_TRUE(rank(2).wanted_by_others());
}

TEST_F(Node, NoMoreIsLentThanThereIs) {
    rank(1).lend(2);
    rank(1).lend(2);
    EXPECT_TRUE(rank(0).borrow());
    EXPECT_TRUE(rank(0).borrow());
    EXPECT_FALSE(rank(0).borrow());
}

TEST_F(Node, WhatOtherThreadsStillLendStaysOnOffer) {
    rank(1).lend(1);
    rank(1).lend(1);
    rank(1).take_back(1);
    EXPECT_TRUE(rank(0).borrow());
    EXPECT_FALSE(rank(0).borrow());
    rank(1).take_back(1);
    EXPECT_FALSE(rank(2).borrow());
}

// Whether a thread waits for something.
bool waits(pid_t thread) {
    std::array<char, ProcessStat::kEnough> room;
    return ProcessStat::read(("/proc/" + std::to_string(thread) + "/stat").c_str(), room).state() == 'S';
}

// Whether `wake` ends a sleep that has begun. One that takes too long here finds the sleep over: then once more.
template <class Wake, class Undo>
bool ends_a_sleep(NodeCores& cores, const std::atomic<std::uint32_t>& word, Wake wake, Undo undo, int attempts = 100) {
    for (int attempt = 0; attempt < attempts; ++attempt) {
        std::atomic<pid_t> sleeper{0};
        std::atomic<bool> awake{false};
        bool rang = false;
        std::thread worker([&] {
            sleeper = gettid();
            rang = cores.sleep(word, 1);
            awake = true;
        });
        while (!awake && (sleeper == 0 || !waits(sleeper))) std::this_thread::yield();
        wake();
        worker.join();
        if (rang) return true;
        undo();
    }
    return false;
}

TEST_F(Node, ASleeperWakesForACore) {
    const std::atomic<std::uint32_t> never{0};
    EXPECT_TRUE(ends_a_sleep(
        rank(0), never, [&] { rank(2).lend(1); }, [&] { rank(2).take_back(1); }));
    EXPECT_TRUE(rank(0).borrow());
}

TEST_F(Node, ARankThatIsKilledWhileItSleepsKeepsNobodyElseAsleep) {
    const std::atomic<std::uint32_t> never{0};
    bool ended = false;
    for (int attempt = 0; attempt < 20 && !ended; ++attempt) {
        const pid_t child = fork();
        if (child == 0)
            for (;;) (void)rank(0).sleep(never, 1);
        while (!waits(child)) std::this_thread::yield();
        ASSERT_EQ(kill(child, SIGKILL), 0);
        ASSERT_EQ(waitpid(child, nullptr, 0), child);
        // Each time the first wake after the death counts.
        ended = ends_a_sleep(
            rank(1), never, [&] { rank(2).lend(1); }, [&] { rank(2).take_back(1); }, 1);
    }
    EXPECT_TRUE(ended);
}

TEST_F(Node, ASleeperWakesWhenItsLoopHasRunOut) {
    std::atomic<std::uint32_t> stage{0};
    const auto run_out = [&] {
        stage.store(1);
        rank(0).ring();
    };
    EXPECT_TRUE(ends_a_sleep(rank(0), stage, run_out, [&] { stage.store(0); }));
}

TEST_F(Node, TimeOnOfferIsSeenByOthersOnly) {
    const std::uint64_t begin = 0;
    EXPECT_EQ(rank(0).offered_since(begin), 0U);
    rank(1).lend(1);
    while (rank(0).offered_since(begin) == 0) std::this_thread::yield();
    EXPECT_EQ(rank(1).offered_since(begin), 0U);
    rank(1).take_back(1);
    EXPECT_EQ(rank(0).offered_since(begin), 0U);
}

TEST_F(Node, ARankThatDiesWithABorrowedCoreTakesNothingAlong) {
    rank(1).lend(1);
    const pid_t child = fork();
    if (child == 0) _exit(rank(0).borrow() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_FALSE(rank(2).borrow());
    rank(1).take_back(1);
    rank(1).lend(1);
    EXPECT_TRUE(rank(2).borrow());
}

TEST_F(Node, ManyBorrowersNeverHaveMoreThanIsOffered) {
    constexpr int kRounds = 2000;
    std::atomic<int> held{0};
    std::atomic<bool> over{false};
    std::atomic<bool> done{false};
    std::vector<std::thread> borrowers;
    for (const int number : {0, 2}) {
        borrowers.emplace_back([&, number] {
            while (!done) {
                const BorrowedCore core = rank(number).borrow();
                if (!core) continue;
                // One that is wanted back may be lent again already: only cores of the same offer count.
                if (held.fetch_add(1) >= 2 && !rank(number).wanted(core)) over = true;
                held.fetch_sub(1);
                rank(number).give_back(core);
            }
        });
    }
    rank(1).lend(2);
    for (int i = 0; i < kRounds; ++i) std::this_thread::yield();
    done = true;
    for (std::thread& borrower : borrowers) borrower.join();
    EXPECT_FALSE(over);
    EXPECT_TRUE(rank(0).borrow());
    EXPECT_TRUE(rank(0).borrow());
    EXPECT_FALSE(rank(0).borrow());
}

TEST(NodeCores, TooLittleMemoryAndWrongSlotsAreRefused) {
    alignas(128) static std::byte memory[2 * NodeCores::kSlotBytes];
    NodeCores cores;
    EXPECT_FALSE(cores.attach(memory, sizeof(memory), 2, 2, 1));
    EXPECT_FALSE(cores.attach(memory, sizeof(memory), -1, 2, 1));
    EXPECT_FALSE(cores.attach(memory, NodeCores::kSlotBytes, 0, 2, 1));
    EXPECT_FALSE(cores.attach(nullptr, sizeof(memory), 0, 2, 1));
    cores.lend(1);
    cores.take_back(1);
    EXPECT_FALSE(cores.attached());
    EXPECT_TRUE(cores.attach(memory, sizeof(memory), 0, 2, 1));
    EXPECT_FALSE(cores.attach(memory, sizeof(memory), 0, 2, 1));
    cores.detach();
}

}  // namespace
}  // namespace gimbal
