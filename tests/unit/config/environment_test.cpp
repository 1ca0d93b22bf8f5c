// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/load.hpp"

#include <gtest/gtest.h>

namespace gimbal {
namespace {

Environment read(std::vector<const char*> variables) {
    variables.push_back(nullptr);
    return read_environment(variables.data());
}

TEST(Environment, TakesOnlyItsOwnVariables) {
    const Environment found = read({"HOME=/root", "GIMBAL_SEED=1", "XGIMBAL_SEED=2", "GIMBAL_FOO=a=b", "broken"});
    ASSERT_EQ(found.settings.size(), 2U);
    EXPECT_EQ(found.settings[0].name, "GIMBAL_SEED");
    EXPECT_EQ(found.settings[1].name, "GIMBAL_FOO");
    EXPECT_EQ(found.settings[1].value, "a=b");
    EXPECT_EQ(found.settings[1].origin, "environment");
    EXPECT_FALSE(found.omp_schedule.has_value());
    EXPECT_EQ(found.home, "/root");
    EXPECT_EQ(found.cache_home, "");
    EXPECT_EQ(read({"XDG_CACHE_HOME=/caches"}).cache_home, "/caches");
}

TEST(Environment, TakesTheSeedsVariablesAndWhatLooksLikeThemButNoneOfLibomps) {
    const Environment found =
        read({"KMP_RL_ALPHA=1", "KMP_RL_ALPA=2", "LB4MPI_RL_X=3", "MPI_RL_OPTION=8", "LB4MPI_RL_OPTION=9",
              "KMP_AFFINITY=compact", "KMP_BLOCKTIME=1", "LB4MPI_OTHER=1", "MPI_RL=1"});
    ASSERT_EQ(found.settings.size(), 5U);
    EXPECT_EQ(found.settings[1].name, "KMP_RL_ALPA");
    EXPECT_EQ(found.settings[4].name, "LB4MPI_RL_OPTION");
}

TEST(Environment, WhereGimbalLiesIsNoSetting) {
    EXPECT_TRUE(read({"GIMBAL_ROOT=/opt/gimbal", "GIMBAL_DIR=/opt/gimbal/lib/cmake/gimbal"}).settings.empty());
    EXPECT_EQ(read({"GIMBAL_ROOTS=/opt"}).settings.size(), 1U);
}

TEST(Environment, TellsAnEmptyScheduleFromNone) {
    EXPECT_EQ(read({"OMP_SCHEDULE="}).omp_schedule, "");
    EXPECT_EQ(read({"OMP_SCHEDULE=fac2,4"}).omp_schedule, "fac2,4");
}

TEST(Environment, WithoutALauncherThereIsOneRank) {
    const Environment found = read({});
    EXPECT_EQ(found.rank, 0);
    EXPECT_EQ(found.ranks, 1);
    EXPECT_EQ(read_environment(nullptr).ranks, 1);
}

TEST(Environment, EveryLauncherTellsRankAndRanks) {
    for (const auto& [rank, size] : {std::pair{"PMI_RANK=3", "PMI_SIZE=8"},
                                     {"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8"},
                                     {"PMIX_RANK=3", "PMIX_SIZE=8"},
                                     {"SLURM_PROCID=3", "SLURM_NTASKS=8"}}) {
        EXPECT_EQ(read({rank, size, "SLURM_STEP_ID=0"}).rank, 3) << rank;
        EXPECT_EQ(read({rank, size, "SLURM_STEP_ID=0"}).ranks, 8) << rank;
    }
}

TEST(Environment, OnlyAStepOfSrunHasSlurmsRanks) {
    // A batch script has no step, or that of batch scripts; a shell of salloc has that of shells.
    EXPECT_EQ(read({"SLURM_PROCID=0", "SLURM_NTASKS=8"}).ranks, 1);
    for (const char* const step : {"SLURM_STEP_ID=4294967291", "SLURM_STEP_ID=4294967290", "SLURM_STEP_ID=",
                                   "SLURM_STEP_ID=batch", "SLURM_STEP_ID=-1", "SLURM_STEP_ID=99999999999999999999"})
        EXPECT_EQ(read({"SLURM_PROCID=0", "SLURM_NTASKS=8", step}).ranks, 1) << step;
    EXPECT_EQ(read({"SLURM_STEP_ID=17", "SLURM_PROCID=1", "SLURM_NTASKS=8"}).rank, 1);
}

TEST(Environment, TheLauncherBeatsTheBatchScriptAroundIt) {
    const Environment found = read({"SLURM_PROCID=0", "SLURM_NTASKS=1", "PMI_RANK=5", "PMI_SIZE=6"});
    EXPECT_EQ(found.rank, 5);
    EXPECT_EQ(found.ranks, 6);
}

TEST(Environment, OtherLaunchersHaveOtherNames) {
    EXPECT_EQ(read({"MV2_COMM_WORLD_RANK=2", "MV2_COMM_WORLD_SIZE=4"}).rank, 2);
    EXPECT_EQ(read({"MV2_COMM_WORLD_RANK=2", "MV2_COMM_WORLD_SIZE=4"}).ranks, 4);
    EXPECT_EQ(read({"PALS_RANKID=3"}).rank, 3);
    EXPECT_EQ(read({"PALS_RANKID=3"}).ranks, 4) << "it does not tell how many";
}

TEST(Environment, NonsenseInRankVariablesCountsAsNone) {
    EXPECT_EQ(read({"PMI_RANK=x", "PMI_SIZE=-2"}).rank, 0);
    EXPECT_EQ(read({"PMI_RANK=-1"}).ranks, 1);
    EXPECT_EQ(read({"PMI_RANK=4"}).ranks, 5) << "a rank cannot be outside its job";
}

TEST(Environment, KnowsTheBatchJob) {
    EXPECT_EQ(read({"SLURM_JOB_ID=81234"}).job, "81234");
    EXPECT_EQ(read({"PBS_JOBID=7.server"}).job, "7.server");
    EXPECT_EQ(read({"FLUX_JOB_ID=f25A"}).job, "f25A");
    EXPECT_EQ(read({}).job, "");
    EXPECT_EQ(read({"SLURM_STEP_ID=3"}).launch, "3");
    EXPECT_EQ(read({"SLURM_STEP_ID=3", "PMIX_NAMESPACE=844890113"}).launch, "844890113");
    EXPECT_EQ(read({"PALS_APID=a1"}).launch, "a1");
    EXPECT_EQ(read({}).launch, "");
}

}  // namespace
}  // namespace gimbal
