// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// killed_rank VICTIM FOLDER: killed_rank.py kills a rank inside of a chunk; the others finish the loop without it
// (GIMBAL_MPI_ROBUST), run it twice more, write down what they did, and end without MPI, which cannot end any more.
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/mpi.h"

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
    if (argc < 3) return 2;
    const fs::path folder = argv[2];
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int victim = std::atoi(argv[1]);
    const gimbal::mpi::LoopOptions options{.schedule = "ss,7", .idempotent = true};
    std::int64_t counted = 0;
    for (int round = 0; round < 3; ++round) {
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "killed", kIterations, options);
        if (round == 0 && rank != victim) await(folder / "killed", loop);
        while (const auto chunk = loop.next()) {
            if (rank == victim) {
                tell(folder / "pid", getpid());
                await(folder / "never", loop);
            }
            if (loop.finish(chunk)) counted += chunk.size();
        }
    }
    const fs::path mine = folder / ("counted." + std::to_string(rank));
    tell(mine, counted);
    // A foreman, and each rank that shares memory with it, stays until all have what they need.
    for (int other = 0; other < size; ++other) {
        while (other != victim && !fs::exists(folder / ("counted." + std::to_string(other)))) {
            gimbal_mpi_progress();
            usleep(1000);
        }
    }
    tell("survivors.done", rank);
    _exit(0);
}
