// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstdint>
#include <ctime>

#include "gimbal/loop.h"
#include "gimbal/mpi/loop.hpp"

/// How often this process has looked for messages. @threads the one that looks
inline int g_looks = 0;

/// Before MPI's own, in this program and in libgimbal_mpi.
extern "C" inline __attribute__((used)) int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag,
                                                       MPI_Status* status) {
    ++g_looks;
    return PMPI_Iprobe(source, tag, comm, flag, status);
}

/// A loop of ranks with no work.
inline void run_rank_loop(const char* name) {
    gimbal::mpi::Loop loop(MPI_COMM_WORLD, name, 100, {.schedule = "ss"});
    while (loop.next()) {
    }
}

/// A loop of this thread, whose chunks take longer than a message may wait.
inline void run_thread_loop() {
    static const char kPlace = 0;
    gimbal_loop_desc desc{};
    desc.code = &kPlace;
    desc.trip = 20;
    desc.unit = 1;
    desc.workers = 1;
    desc.schedule = gimbal_schedule_parse("ss");
    void* const execution = gimbal_loop_open(&desc);
    gimbal_share share{};
    gimbal_loop_begin(execution, 0, &share);
    std::uint64_t first = 0, end = 0;
    while (gimbal_loop_next(&share, &first, &end)) {
        const timespec chunk{.tv_sec = 0, .tv_nsec = 1'000'000};
        nanosleep(&chunk, nullptr);
    }
    gimbal_loop_end(&share);
}
