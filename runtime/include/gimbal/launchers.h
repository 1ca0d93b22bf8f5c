/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_LAUNCHERS_H
#define GIMBAL_LAUNCHERS_H

#include <stdlib.h>
#include <string.h>

/** The variables that hold a rank and the number of ranks, of each launcher of MPI programs: X(rank, ranks). The first
 *  one that is set counts. Hydra's are also those of Flux and of Cray's PMI; PALS by itself does not tell how many.
 *  Slurm's come last: inside a batch script they say 0 of all tasks for every rank that another launcher starts. */
#define GIMBAL_LAUNCHERS(X)                           \
    X("PMI_RANK", "PMI_SIZE")                         \
    X("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE") \
    X("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE")   \
    X("PMIX_RANK", "PMIX_SIZE")                       \
    X("PALS_RANKID", "")                              \
    X("SLURM_PROCID", "SLURM_NTASKS")

/** Whether srun has started this step of a job, so that SLURM_PROCID and SLURM_NTASKS are of its ranks. A batch script,
 *  and a shell of salloc, are told 0 of all tasks of the job; they have no number of a step, or one of Slurm's own.
 *  @param step  SLURM_STEP_ID; null: not set  @threads any */
static inline int gimbal_is_step_of_srun(const char* step) {
    const unsigned long own_numbers = 0xfffffff0UL; /* from here on, in all versions */
    char* end = NULL;
    return step && *step >= '0' && *step <= '9' && strtoul(step, &end, 10) < own_numbers && *end == '\0';
}

/** One entry of a list of tasks by node, "2(x3),1": two on each of three nodes, one on the next.
 *  @param node  counted from 0; < 0: not known, then all have to be alike  @return [count]; 0: it does not say
 *  @threads any */
static inline int gimbal_tasks_of_node(const char* list, long node) {
    for (;;) {
        char* end = NULL;
        const long tasks = strtol(list, &end, 10);
        long nodes = 1;
        if (end == list || tasks < 1 || tasks >= 1L << 20) return 0;
        if (strncmp(end, "(x", 2) == 0) {
            list = end + 2;
            nodes = strtol(list, &end, 10);
            if (end == list || nodes < 1 || *end++ != ')') return 0;
        }
        if (*end != '\0' && *end != ',') return 0;
        if (node < 0 ? *end == '\0' : node < nodes) return (int)tasks;
        if (node < 0 || *end == '\0') return 0;
        node -= nodes;
        list = end + 1;
    }
}

/** Ranks of this start on this node, this one included, as the launcher tells. Where one launcher runs inside a job of
 *  another, the variables of both are there.
 *  @param open_mpi  whether the program's MPI is Open MPI: then its mpirun is the inner one
 *  @return [count]; 0: it does not  @threads any, while nobody changes the environment */
static inline int gimbal_ranks_of_node(int open_mpi) {
    static const char* const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                        "MPI_LOCALNRANKS",
                                        "MV2_COMM_WORLD_LOCAL_SIZE",
                                        "OMPI_COMM_WORLD_LOCAL_SIZE",
                                        "JSM_NAMESPACE_LOCAL_SIZE",
                                        "PMI_LOCAL_SIZE",
                                        "PALS_LOCAL_SIZE"};
    for (size_t i = open_mpi ? 0 : 1; i < sizeof(names) / sizeof(names[0]); ++i) {
        const char* const count = getenv(names[i]);
        if (count) return gimbal_tasks_of_node(count, 0);
    }
    const char* const tasks = getenv("SLURM_STEP_TASKS_PER_NODE");
    const char* const node = getenv("SLURM_NODEID");
    if (tasks) return gimbal_tasks_of_node(tasks, node ? strtol(node, NULL, 10) : -1);
    const char* const nodes = getenv("FLUX_JOB_NNODES");
    const char* const all = getenv("FLUX_JOB_SIZE");
    return nodes && all && strcmp(nodes, "1") == 0 ? gimbal_tasks_of_node(all, 0) : 0;
}

#endif
