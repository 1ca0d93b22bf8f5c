// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/launchers.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace gimbal {
namespace {

class Launchers : public testing::Test {
protected:
    void SetUp() override {
        for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
                                       "JSM_NAMESPACE_LOCAL_SIZE", "PMI_LOCAL_SIZE", "PALS_LOCAL_SIZE",
                                       "SLURM_STEP_TASKS_PER_NODE", "SLURM_NODEID", "FLUX_JOB_NNODES", "FLUX_JOB_SIZE"})
            unsetenv(name);
    }
    static void set(const char* name, const char* value) { setenv(name, value, 1); }
};

TEST_F(Launchers, AListOfTasksHasOneEntryForEachNode) {
    EXPECT_EQ(gimbal_tasks_of_node("3", 0), 3);
    EXPECT_EQ(gimbal_tasks_of_node("2(x3),1,7(x2)", 0), 2);
    EXPECT_EQ(gimbal_tasks_of_node("2(x3),1,7(x2)", 2), 2);
    EXPECT_EQ(gimbal_tasks_of_node("2(x3),1,7(x2)", 3), 1);
    EXPECT_EQ(gimbal_tasks_of_node("2(x3),1,7(x2)", 5), 7);
    EXPECT_EQ(gimbal_tasks_of_node("2(x3),1,7(x2)", 6), 0);
    EXPECT_EQ(gimbal_tasks_of_node("4(x2)", -1), 4) << "all nodes are alike";
    EXPECT_EQ(gimbal_tasks_of_node("4(x2),3", -1), 0);
    for (const char* wrong : {"", "-1", "0", "two", "2x", "2(x", "2(x)", "2(x0)", "2(x2", ",2", "99999999999"})
        EXPECT_EQ(gimbal_tasks_of_node(wrong, 0), 0) << wrong;
}

TEST_F(Launchers, EachTellsHowManyRanksANodeHas) {
    EXPECT_EQ(gimbal_ranks_of_node(0), 0);
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
                             "JSM_NAMESPACE_LOCAL_SIZE", "PMI_LOCAL_SIZE", "PALS_LOCAL_SIZE"}) {
        set(name, "3");
        EXPECT_EQ(gimbal_ranks_of_node(0), 3) << name;
        EXPECT_EQ(gimbal_ranks_of_node(1), 3) << name;
        set(name, "two");
        EXPECT_EQ(gimbal_ranks_of_node(0), 0) << name;
        unsetenv(name);
    }
}

TEST_F(Launchers, SlurmTellsItOfAllNodes) {
    set("SLURM_STEP_TASKS_PER_NODE", "4(x2),3");
    EXPECT_EQ(gimbal_ranks_of_node(0), 0) << "which node this is it does not say";
    set("SLURM_NODEID", "2");
    EXPECT_EQ(gimbal_ranks_of_node(0), 3);
}

TEST_F(Launchers, FluxTellsItWhereThereIsOneNode) {
    set("FLUX_JOB_SIZE", "6");
    set("FLUX_JOB_NNODES", "2");
    EXPECT_EQ(gimbal_ranks_of_node(0), 0);
    set("FLUX_JOB_NNODES", "1");
    EXPECT_EQ(gimbal_ranks_of_node(0), 6);
}

TEST_F(Launchers, TheInnerOneCounts) {
    set("PALS_LOCAL_SIZE", "1");
    set("MPI_LOCALNRANKS", "4");
    EXPECT_EQ(gimbal_ranks_of_node(0), 4);
    set("OMPI_COMM_WORLD_LOCAL_SIZE", "8");
    EXPECT_EQ(gimbal_ranks_of_node(0), 4);
    EXPECT_EQ(gimbal_ranks_of_node(1), 8);
}

}  // namespace
}  // namespace gimbal
