// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/wait_policy.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/warnings.hpp"
#include "gimbal/core_loan.h"
#include "gimbal/launchers.h"
#include "gimbal/rank_waiting.h"
#include "lending/loan.hpp"
#include "lending/wait_policy.hpp"

namespace {
bool many_processors = false;
bool one_granted = false;
std::atomic<bool> set_all = false;  // a mask of all processors has been asked for

long system_call(long number, const std::array<long, 6>& words) noexcept {
    static const auto next = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
}  // namespace

/// The C library's, but in a control group that grants the lowest processor only, if wanted.
extern "C" long syscall(long number, ...) noexcept {
    va_list list;
    va_start(list, number);
    std::array<long, 6> words{};
    for (long& word : words) word = va_arg(list, long);
    va_end(list);
    if (number == SYS_sched_setaffinity) {
        const auto* const mask = reinterpret_cast<const unsigned long*>(words[2]);
        if (*mask == ~0UL) set_all = true;
    }
    if (!one_granted || number != SYS_sched_setaffinity) return system_call(number, words);
    const unsigned long lowest = 1;
    return system_call(number, {words[0], sizeof(lowest), reinterpret_cast<long>(&lowest)});
}

/// The C library's, but on a machine with more processors than its cpu_set_t holds, if wanted.
extern "C" int sched_getaffinity(pid_t process, std::size_t bytes, cpu_set_t* mask) noexcept {
    if (many_processors && bytes <= sizeof(cpu_set_t)) {
        errno = EINVAL;
        return -1;
    }
    std::memset(mask, 0, bytes);
    return syscall(SYS_sched_getaffinity, process, bytes, mask) < 0 ? -1 : 0;
}

namespace gimbal {
namespace {

class WaitPolicy : public testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_STEP_TASKS_PER_NODE",
                                 "KMP_BLOCKTIME", "KMP_LIBRARY", "OMP_WAIT_POLICY"})
            unsetenv(name);
    }
    static void set(const char* name, const char* value) { setenv(name, value, 1); }
    static int usable_processors() {
        cpu_set_t mask;
        return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : 0;
    }
    static bool bind_to_one() {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
        return sched_setaffinity(0, sizeof(one), &one) == 0;
    }
    /// @return what a function gives in a child: what it binds or remembers nobody else sees
    template <class Function>
    static int in_child(Function function) {
        const pid_t child = fork();
        if (child == 0) _exit(function());
        int status = -1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
};

TEST_F(WaitPolicy, ARankMaySpinWithItsShareOfTheProcessors) {
    const auto processors = static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    if (CPU_COUNT(&mask) != static_cast<int>(processors)) GTEST_SKIP() << "not all processors may be used";
    const auto are = [](std::uint32_t threads) {
        return in_child([threads] { return gimbal_spinning_threads() == threads ? 1 : 0; }) == 1;
    };
    EXPECT_TRUE(are(UINT32_MAX));
    set("MPI_LOCALNRANKS", "1");
    EXPECT_TRUE(are(UINT32_MAX));
    set("MPI_LOCALNRANKS", "2");
    EXPECT_TRUE(are(std::max(processors / 2, 1U)));
    set("MPI_LOCALNRANKS", "100000");
    EXPECT_TRUE(are(1));
    set("OMP_WAIT_POLICY", "active");
    EXPECT_TRUE(are(UINT32_MAX));
}

TEST_F(WaitPolicy, ProcessorsAreCountedWhereACpuSetIsTooSmall) {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    if (CPU_COUNT(&mask) != sysconf(_SC_NPROCESSORS_ONLN)) GTEST_SKIP() << "not all processors may be used";
    set("MPI_LOCALNRANKS", "100000");
    const auto spinning = [] {
        many_processors = true;
        return gimbal_spinning_threads() == 1 ? 0 : 1;
    };
    EXPECT_EQ(in_child(spinning), 0);
}

// As libomp binds its primary thread, after it has asked and before the first loop.
TEST_F(WaitPolicy, ARankWhoseThreadsAreBoundLaterStaysOneOfACrowd) {
    const auto processors = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    if (CPU_COUNT(&mask) != processors || processors < 2) GTEST_SKIP() << "needs two processors";
    set("MPI_LOCALNRANKS", "100000");
    const auto bound_later = [] {
        const std::uint32_t spinning = gimbal_spinning_threads();
        return bind_to_one() && spinning == 1 && gimbal_rank_is_crowded() == 1 ? 0 : 1;
    };
    EXPECT_EQ(in_child(bound_later), 0);
}

TEST_F(WaitPolicy, ARankThatIsBoundIsLeftAlone) {
    if (usable_processors() < 2) GTEST_SKIP() << "needs two processors";
    set("MPI_LOCALNRANKS", "100000");
    const auto bound = [] {
        if (!bind_to_one()) return 1;
        return gimbal_spinning_threads() == UINT32_MAX && gimbal_rank_is_crowded() == 0 ? 0 : 2;
    };
    EXPECT_EQ(in_child(bound), 0);
}

// A mask that was asked for is cut when the group gets fewer processors, and stays so: who is not bound asks for all.
TEST_F(WaitPolicy, ALoanGivesAThreadAllProcessorsOnlyInAProcessThatIsNotBound) {
    if (usable_processors() < 2 || usable_processors() != sysconf(_SC_NPROCESSORS_ONLN))
        GTEST_SKIP() << "needs two processors, and all of them";
    const auto asks_for_all = [](bool bound) {
        return in_child([bound] {
            if (bound && !bind_to_one()) return 77;
            note_team(1);
            const bool knows = is_unbound() != bound;
            set_all = false;
            int tried = 1;
            std::thread borrower([&tried] {
                gimbal_waiter* const mine = gimbal_waiter_mine();
                std::thread lender([mine, &tried] {
                    const gimbal_meeting meeting{4, 0, 0, {nullptr, 0}, nullptr, nullptr, nullptr};
                    tried = begin_loan(*mine, meeting) == 0 ? 2 : 0;
                });
                lender.join();
                gimbal_waiter_home(mine);
            });
            borrower.join();
            if (tried != 0 || !knows) return 2 + tried;
            return set_all ? 1 : 0;
        });
    };
    EXPECT_EQ(asks_for_all(false), 1);
    EXPECT_EQ(asks_for_all(true), 0);
}

TEST_F(WaitPolicy, AControlGroupsProcessorsAreTheNodes) {
    if (usable_processors() < 2) GTEST_SKIP() << "needs two processors";
    cpu_set_t lowest;
    CPU_ZERO(&lowest);
    CPU_SET(0, &lowest);
    set("MPI_LOCALNRANKS", "2");
    const auto granted = [&] {
        one_granted = true;
        if (sched_setaffinity(0, sizeof(lowest), &lowest) != 0) return 77;
        return gimbal_spinning_threads() == 1 && gimbal_rank_is_crowded() == 1 ? 0 : 1;
    };
    const int status = in_child(granted);
    if (status == 77) GTEST_SKIP() << "needs processor 0";
    EXPECT_EQ(status, 0);
}

TEST_F(WaitPolicy, RanksCrowdANodeThatHasFewerProcessorsThanTheirThreads) {
    const auto processors = static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    if (CPU_COUNT(&mask) != static_cast<int>(processors) || processors < 2) GTEST_SKIP() << "needs two processors";
    EXPECT_EQ(in_child(gimbal_rank_is_crowded), 0);
    const std::string all = std::to_string(processors), more = std::to_string(processors + 1);
    set("MPI_LOCALNRANKS", more.c_str());
    EXPECT_EQ(in_child(gimbal_rank_is_crowded), 1);
    set("MPI_LOCALNRANKS", all.c_str());
    EXPECT_EQ(in_child(gimbal_rank_is_crowded), 0);
    const auto after_a_team = [] {
        const int before = gimbal_rank_is_crowded();
        note_team(2);
        note_team(1);
        return before * 2 + gimbal_rank_is_crowded();
    };
    EXPECT_EQ(in_child(after_a_team), 1);
    const auto said = [] {
        const std::string ranks = std::to_string(gimbal_ranks_of_node(0));
        note_team(1);
        const std::size_t before = warnings().size();
        note_team(2);
        const std::vector<std::string> told = warnings();
        const std::string begin = "NOTE threads and processors: " + ranks + " ranks x 2 threads share this node's ";
        return told.size() == before + 1 && told.back().starts_with(begin) ? 0 : 1;
    };
    EXPECT_EQ(in_child(said), 0);
    set("MPI_LOCALNRANKS", "1");
    EXPECT_EQ(in_child(after_a_team), 0);
}

}  // namespace
}  // namespace gimbal
