// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sample_record.hpp"

namespace gimbal {

RunRecord sample_record(int rank, int ranks) {
    RunRecord record;
    record.gimbal_version = "0.1.0";
    record.program = "./app input";
    record.host = "node7";
    record.job = "81234";
    record.openmp = "/opt/gimbal/lib/libomp.so";
    record.pid = 1000 + rank;
    record.rank = rank;
    record.ranks = ranks;
    record.wall_s = 10;
    record.dispatch_ns = 10;
    record.seed = 42;
    record.options = {{"GIMBAL_SCHEDULE", "static", "environment"}};
    LoopSummary& loop = record.loops.emplace_back();
    loop.name = "sph.cpp:210 density";
    loop.workers = 2;
    loop.calls = 2;
    loop.iterations = 2000;
    loop.chunks = 4;
    loop.time_s = 3;
    loop.busy_max_s = 3;
    loop.busy_mean_s = 2;
    loop.scheduling_s = 0.03;
    loop.schedules = {{"static", "GIMBAL_SCHEDULE", 2}};
    loop.per_worker = {{3, 1500, 2}, {1, 500, 2}};
    return record;
}

}  // namespace gimbal
