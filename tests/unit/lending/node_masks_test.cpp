// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the threads of ranks may run while they lend each other cores.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "config/load.hpp"
#include "gimbal/elastic_team.h"
#include "lending/elastic_regions.hpp"
#include "lending/node_cores.hpp"
#include "lending/rank_part.hpp"

namespace gimbal {
namespace {

constexpr int kSlots = 2;

/// Two ranks that may both run where the calling thread may, the second one of which attaches.
bool attach_second(NodeCores& cores, std::byte* memory) {
    for (int slot = 0; slot < kSlots; ++slot) NodeCores::show(memory, kSlots * NodeCores::kSlotBytes, slot, kSlots);
    return cores.attach(memory, kSlots * NodeCores::kSlotBytes, 1, kSlots, 1);
}

/// What one of them gets, with one thread each; empty: there are too few processors.
CoreMask part_of(const CoreMask& all, std::uint32_t number) {
    return part_of_rank(all, number, kSlots, 1, core_of);
}

TEST(NodeCores, RanksThatMayRunEverywhereGetCoresOfTheirOwnAndGoBack) {
    alignas(128) static std::byte memory[2 * NodeCores::kSlotBytes];
    CoreMask before, bound, after;
    ASSERT_TRUE(before.read(0));
    if (part_of(before, 1).empty()) GTEST_SKIP() << "needs two cores";
    NodeCores cores;
    ASSERT_TRUE(attach_second(cores, memory));
    ASSERT_TRUE(bound.read(0));
    EXPECT_EQ(bound, part_of(before, 1));
    cores.detach();
    ASSERT_TRUE(after.read(0));
    EXPECT_EQ(after, before);
}

TEST(NodeCores, ThreadsThatWereStartedMeanwhileGoBackUnlessTheyWereBoundSince) {
    alignas(128) static std::byte memory[2 * NodeCores::kSlotBytes];
    CoreMask before, started, bound;
    ASSERT_TRUE(before.read(0));
    if (part_of(before, 1).empty()) GTEST_SKIP() << "needs two cores";
    NodeCores cores;
    ASSERT_TRUE(attach_second(cores, memory));
    std::atomic<int> ready{0};
    std::atomic<bool> detached{false};
    const auto wait = [&] {
        ++ready;
        while (!detached) std::this_thread::yield();
    };
    std::thread one([&] {
        wait();
        EXPECT_TRUE(started.read(0));
    });
    std::thread other([&] {
        EXPECT_TRUE(part_of(before, 0).apply(0));
        wait();
        EXPECT_TRUE(bound.read(0));
    });
    while (ready < 2) std::this_thread::yield();
    cores.detach();
    detached = true;
    one.join();
    other.join();
    EXPECT_EQ(started, before);
    EXPECT_EQ(bound, part_of(before, 0)) << "the program's own wish";
}

TEST(NodeCores, ThreadsThatTheProgramBindsToTheRanksOwnCoresStayThere) {
    alignas(128) static std::byte memory[2 * NodeCores::kSlotBytes];
    CoreMask before, now;
    ASSERT_TRUE(before.read(0));
    if (part_of(before, 1).empty()) GTEST_SKIP() << "needs two cores";
    const CoreMask own = part_of(before, 1);
    NodeCores cores;
    std::atomic<int> step{0};
    std::vector<CoreMask> after(3);
    const auto ends_with = [&](CoreMask& mask) {
        ++step;
        while (step != 4) std::this_thread::yield();
        EXPECT_TRUE(mask.read(0));
    };
    std::thread bound_before([&] {
        EXPECT_TRUE(own.apply(0));
        ends_with(after[0]);
    });
    while (step < 1) std::this_thread::yield();
    ASSERT_TRUE(attach_second(cores, memory));
    std::thread bound_since([&] {
        EXPECT_TRUE(own.apply(0));
        cores.note_set(this_thread());
        EXPECT_FALSE(cores.step_out()) << "its children have what the program has set";
        ends_with(after[1]);
    });
    while (step < 2) std::this_thread::yield();
    std::thread bound_back([&] {
        cores.note_set(this_thread());
        EXPECT_TRUE(before.apply(0));
        cores.note_set(this_thread());
        EXPECT_TRUE(own.apply(0));
        ends_with(after[2]);
    });
    while (step < 3) std::this_thread::yield();
    cores.detach();
    step = 4;
    bound_before.join();
    bound_since.join();
    bound_back.join();
    EXPECT_EQ(after[0], own);
    EXPECT_EQ(after[1], own);
    EXPECT_EQ(after[2], before);
    ASSERT_TRUE(now.read(0));
    EXPECT_EQ(now, before);
}

/// Runs teams of nothing but a loop until one has a surplus worker. @return that team, in flight
gimbal_team elastic_team() {
    static char code;
    for (;;) {
        const gimbal_team team = gimbal_team_begin(&code, 1);
        if (team.threads > 1 || !team.region) return team;
        const std::uint64_t begin = ticks();
        while (static_cast<double>(ticks() - begin) < 2000 * ticks_per_microsecond()) continue;
        team.region->add_loop(static_cast<double>(ticks() - begin));
        gimbal_team_end(team.region);
    }
}

TEST(NodeCores, ThreadsThatRoamComeHomeBeforeTeamsInsideOrOfOtherThreadsCanHaveThem) {
    alignas(128) static std::byte memory[2 * NodeCores::kSlotBytes];
    CoreMask before, now;
    ASSERT_TRUE(before.read(0));
    if (part_of(before, 1).empty()) GTEST_SKIP() << "needs two cores";
    const CoreMask away = part_of(before, 0), home = part_of(before, 1);
    set_option("GIMBAL_RANK_THREADS", "1");
    for (int slot = 0; slot < kSlots; ++slot) NodeCores::show(memory, sizeof memory, slot, kSlots);
    NodeCores other;
    ASSERT_TRUE(other.attach(memory, sizeof memory, 0, kSlots, 1));
    ASSERT_TRUE(node_cores().attach(memory, sizeof memory, 1, kSlots, 1));
    other.lend(1);
    std::atomic<pid_t> surplus{0};
    std::atomic<int> turns{0}, roamed{0};
    std::thread worker([&] {
        surplus = this_thread();
        for (int turn = 1; turn <= 2; ++turn) {
            while (turns != turn) std::this_thread::yield();
            node_cores().roam();
            roamed = turn;
        }
        while (turns != 3) std::this_thread::yield();
    });
    const auto mask = [&] { return now.read(surplus) ? now : CoreMask(); };
    for (int turn = 1; turn <= 2; ++turn) {
        const gimbal_team team = elastic_team();
        EXPECT_EQ(team.threads, 2U);
        turns = turn;
        while (roamed != turn) std::this_thread::yield();
        EXPECT_EQ(mask(), away);
        gimbal_team_inside();
        EXPECT_EQ(mask(), away) << "a team needs it there";
        gimbal_team_end(team.region);
        gimbal_team_end(gimbal_team_begin(nullptr, 1).region);
        EXPECT_EQ(mask(), away) << "it is in no such team";
        if (turn == 1)
            gimbal_team_inside();
        else
            std::thread([] { gimbal_team_end(gimbal_team_begin(nullptr, 1).region); }).join();
        EXPECT_EQ(mask(), home) << turn;
    }
    turns = 3;
    worker.join();
    node_cores().detach();
    other.detach();
    set_option("GIMBAL_RANK_THREADS", "0");
    ASSERT_TRUE(before.apply(0));
}

TEST(NodeCores, ProgramsThatARankStartsMayRunEverywhere) {
    alignas(128) static std::byte memory[2 * NodeCores::kSlotBytes];
    CoreMask before, now;
    ASSERT_TRUE(before.read(0));
    if (part_of(before, 1).empty()) GTEST_SKIP() << "needs two cores";
    NodeCores cores;
    EXPECT_FALSE(cores.step_out()) << "no rank";
    ASSERT_TRUE(attach_second(cores, memory));
    ASSERT_TRUE(cores.step_out());
    EXPECT_TRUE(now.read(0) && now == before);
    EXPECT_FALSE(cores.step_out()) << "it is out already";
    cores.step_in();
    EXPECT_TRUE(now.read(0) && now == part_of(before, 1));
    const pid_t child = fork();
    if (child == 0) {
        cores.forget_in_child();
        _exit(now.read(0) && now == before ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(cores.step_out());
    cores.detach();
    cores.step_in();  // MPI has ended meanwhile
    EXPECT_TRUE(now.read(0) && now == before);
}

// A group of this machine's (version 1, which root may make), or an empty path.
class CpuSet {
public:
    CpuSet() {
        std::error_code error;
        const std::filesystem::path all = "/sys/fs/cgroup/cpuset";
        path_ = all / ("gimbal-lending-test-" + std::to_string(getpid()));
        if (!std::filesystem::create_directory(path_, error)) return;
        std::string memories;
        std::getline(std::ifstream(all / "cpuset.mems"), memories);
        made_ = write("cpuset.mems", memories);
    }
    ~CpuSet() { rmdir(path_.c_str()); }
    [[nodiscard]] bool write(const char* file, const std::string& text) const {
        std::ofstream stream(path_ / file);
        return static_cast<bool>(stream << text << std::flush);
    }
    [[nodiscard]] bool made() const { return made_; }

private:
    std::filesystem::path path_;
    bool made_ = false;
};

// 0: as wished; 1: not; 77: it cannot be tried here.
int is_a_rank_while_its_group_is_small(const CpuSet& group) {
    alignas(128) static std::byte memory[NodeCores::kSlotBytes];
    CoreMask now;
    if (!group.write("cpuset.cpus", "0") || !group.write("cgroup.procs", std::to_string(getpid()))) return 77;
    if (!now.read(0) || now.cores() != 1) return 77;
    NodeCores cores;
    if (!cores.attach(memory, sizeof(memory), 0, 1, 1)) return 1;
    cores.detach();
    if (!group.write("cpuset.cpus", "0-1")) return 77;
    return now.read(0) && now.cores() == 2 ? 0 : 1;
}

TEST(NodeCores, ARankGetsTheProcessorsThatItsControlGroupGetsAfterwards) {
    const CpuSet group;
    if (!group.made()) GTEST_SKIP() << "no control group can be made here";
    const pid_t child = fork();
    if (child == 0) _exit(is_a_rank_while_its_group_is_small(group));
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the control group cannot be used here";
    EXPECT_EQ(status, 0);
}

TEST(NodeCores, ARankThatIsBoundAlreadyStaysWhereItIs) {
    alignas(128) static std::byte memory[2 * NodeCores::kSlotBytes];
    CoreMask before, bound;
    ASSERT_TRUE(before.read(0));
    CoreMask one;
    for (int core = 0; one.empty(); ++core)
        if (before.has(core)) one = before.only(core);
    ASSERT_TRUE(one.apply(0));
    NodeCores cores;
    EXPECT_TRUE(attach_second(cores, memory));
    ASSERT_TRUE(bound.read(0));
    EXPECT_EQ(bound, one);
    cores.detach();
    ASSERT_TRUE(before.apply(0));
}

TEST(NodeCores, WhereOthersHaveNotShownTheirMasksOrHaveOthersThatMeetThisOneNobodyIsBound) {
    CoreMask before, now;
    ASSERT_TRUE(before.read(0));
    if (part_of(before, 1).empty()) GTEST_SKIP() << "needs two cores";
    for (const bool shows : {false, true}) {
        alignas(128) std::array<std::byte, kSlots * NodeCores::kSlotBytes> memory{};
        if (shows) {
            ASSERT_TRUE(part_of(before, 0).apply(0));
            NodeCores::show(memory.data(), memory.size(), 0, kSlots);
            ASSERT_TRUE(before.apply(0));
        }
        NodeCores cores;
        EXPECT_TRUE(cores.attach(memory.data(), memory.size(), 1, kSlots, 1));
        EXPECT_TRUE(now.read(0) && now == before) << shows;
        cores.detach();
    }
}

TEST(NodeCores, RanksThatMayRunElsewhereHaveNoPartOfTheseProcessors) {
    CoreMask before, now;
    ASSERT_TRUE(before.read(0));
    if (part_of(before, 1).empty()) GTEST_SKIP() << "needs two cores";
    alignas(128) std::array<std::byte, kSlots * NodeCores::kSlotBytes> memory{};
    ASSERT_TRUE(part_of(before, 0).apply(0));
    NodeCores::show(memory.data(), memory.size(), 0, kSlots);
    ASSERT_TRUE(part_of(before, 1).apply(0));
    NodeCores cores;
    EXPECT_TRUE(cores.attach(memory.data(), memory.size(), 1, kSlots, 1));
    EXPECT_TRUE(now.read(0) && now == part_of(before, 1));
    cores.detach();
    ASSERT_TRUE(before.apply(0));
}

}  // namespace
}  // namespace gimbal
