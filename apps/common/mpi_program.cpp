// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi_program.hpp"

#include <mpi.h>

#include <gimbal/rank_loop.h>
#include <gimbal/error.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

namespace apps {

namespace {

constexpr int kFailed = 1;

/// Whether all ranks meet such an error: they have the same command line and the same environment.
bool alike_on_all_ranks(const std::exception& error) {
    const auto* gimbal_error = dynamic_cast<const gimbal::Error*>(&error);
    return gimbal_error != nullptr && gimbal_error->code() != gimbal::ErrorCode::mpi;
}

int report(const char* name, int rank, const std::exception& error) {
    const bool alike = alike_on_all_ranks(error);
    if (!alike || rank == 0) {
        const auto* gimbal_error = dynamic_cast<const gimbal::Error*>(&error);
        const bool hint = gimbal_error != nullptr && !gimbal_error->hint().empty();
        std::fprintf(stderr, "%s: error: %s%s%s\n", name, error.what(), hint ? "; " : "",
                     hint ? gimbal_error->hint().c_str() : "");
        std::fflush(stderr);
    }
    if (!alike) MPI_Abort(MPI_COMM_WORLD, kFailed);
    return kFailed;
}

}  // namespace

// MPI's default error handler ends all ranks with a message, so that return codes need no check.

int run_mpi_program(const char* name, int& argc, char**& argv, const std::function<int(int rank)>& work) {
    int provided = 0;
    int rank = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = 0;
    try {
        code = work(rank);
    } catch (const std::exception& error) {
        code = report(name, rank, error);
    }
    if (std::fflush(stdout) != 0) {
        std::fprintf(stderr, "%s: error: cannot write to standard output\n", name);
        code = kFailed;
    }
    MPI_Finalize();
    return code;
}

std::string schedule_refusal(const std::string& schedule) {
    if (schedule == "static" || schedule == "loop") return {};
    std::array<char, 2048> message{};
    return gimbal_rank_schedule(schedule.c_str(), message.data(), message.size()) == 0 ? message.data() : "";
}

void largest_and_mean(std::span<double> values, std::span<double> mean) {
    const int count = static_cast<int>(values.size());
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(values.data(), mean.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    std::for_each(mean.begin(), mean.end(), [ranks](double& value) { value /= ranks; });
}

}  // namespace apps
