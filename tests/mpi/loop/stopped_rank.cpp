// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// stopped_rank FOLDER: the last rank is stopped inside of a chunk by stopped_rank.py; the others finish the loop
// without it (GIMBAL_MPI_ROBUST). Ranks and driver tell each other by files how far they are.
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "gimbal/mpi/loop.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kIterations = 300;

void tell(const fs::path& file, long long number) {
    const fs::path aside = file.string() + ".new";
    std::ofstream(aside) << number << '\n';
    fs::rename(aside, file);
}

void await(const fs::path& file, gimbal::mpi::Loop& loop) {
    while (!fs::exists(file)) {
        loop.progress();
        usleep(1000);
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const fs::path folder = argc > 1 ? argv[1] : ".";
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const bool victim = rank == size - 1;
    std::int64_t counted = 0;
    bool good = true;
    {
        gimbal::mpi::LoopOptions options;
        options.schedule = "ss,7";
        options.idempotent = true;
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "stopped", kIterations, options);
        if (!victim) await(folder / "stopped", loop);
        bool first = true;
        while (const auto chunk = loop.next()) {
            if (victim && first) {
                tell(folder / "pid", getpid());
                await(folder / "continued", loop);
            }
            const bool counts = loop.finish(chunk);
            if (counts) counted += chunk.size();
            // The others have run all there was, this chunk too.
            if (victim) good = good && !counts;
            first = false;
        }
        loop.leave();
        if (!victim) tell(folder / ("counted." + std::to_string(rank)), counted);
    }
    std::int64_t all = 0;
    MPI_Allreduce(&counted, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (!good) std::printf("rank %d: a chunk counts twice\n", rank);
    if (all != kIterations && rank == 0)
        std::printf("%lld of %lld iterations count\n", static_cast<long long>(all),
                    static_cast<long long>(kIterations));
    MPI_Finalize();
    return good && all == kIterations ? 0 : 1;
}
