// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/wait_policy.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "lending/wait_policy.hpp"

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
};

TEST_F(WaitPolicy, RanksOfTheNodeAreWhatTheLauncherTells) {
    EXPECT_EQ(ranks_of_node(), 0);
    set("SLURM_STEP_TASKS_PER_NODE", "4(x2)");
    EXPECT_EQ(ranks_of_node(), 4);
    set("SLURM_STEP_TASKS_PER_NODE", "4(x2),3");
    EXPECT_EQ(ranks_of_node(), 0);
    set("OMPI_COMM_WORLD_LOCAL_SIZE", "3");
    EXPECT_EQ(ranks_of_node(), 3);
    for (const char* wrong : {"", "-1", "0", "two", "2x", "99999999999"}) {
        set("OMPI_COMM_WORLD_LOCAL_SIZE", wrong);
        EXPECT_EQ(ranks_of_node(), 0) << wrong;
    }
}

TEST_F(WaitPolicy, ARankMaySpinWithItsShareOfTheProcessors) {
    const auto processors = static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    if (CPU_COUNT(&mask) != static_cast<int>(processors)) GTEST_SKIP() << "not all processors may be used";
    EXPECT_EQ(gimbal_spinning_threads(), UINT32_MAX);
    set("MPI_LOCALNRANKS", "1");
    EXPECT_EQ(gimbal_spinning_threads(), UINT32_MAX);
    set("MPI_LOCALNRANKS", "2");
    EXPECT_EQ(gimbal_spinning_threads(), std::max(processors / 2, 1U));
    set("MPI_LOCALNRANKS", "100000");
    EXPECT_EQ(gimbal_spinning_threads(), 1U);
    set("OMP_WAIT_POLICY", "active");
    EXPECT_EQ(gimbal_spinning_threads(), UINT32_MAX);
}

TEST_F(WaitPolicy, ARankThatIsBoundIsLeftAlone) {
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "needs two processors";
    const pid_t child = fork();  // a mask that nobody else sees
    if (child == 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
        set("MPI_LOCALNRANKS", "2");
        _exit(sched_setaffinity(0, sizeof(one), &one) == 0 && gimbal_spinning_threads() == UINT32_MAX ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gimbal
