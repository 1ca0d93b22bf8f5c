// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over replicated data, for C.
#include <string>

#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/mpi.h"
#include "interface/begin_loop.hpp"
#include "interface/errors.hpp"
#include "team/own_mpi.hpp"
#include "team/team.hpp"

using gimbal::Error;
using gimbal::ErrorCode;
using gimbal::mpi::Chunk;
using gimbal::mpi::guarded;
using gimbal::mpi::Loop;
using gimbal::mpi::LoopOptions;
using gimbal::mpi::Team;

struct gimbal_mpi_loop {
    Loop loop;
    std::string transport;
};

namespace {

LoopOptions options_of(const gimbal_mpi_loop_options* given, int ranks) {
    LoopOptions options;
    if (!given) return options;
    if (given->schedule) options.schedule = given->schedule;
    options.idempotent = given->idempotent != 0;
    options.shared_by_threads = given->shared_by_threads != 0;
    if (given->weights) options.weights.assign(given->weights, given->weights + ranks);
    if (given->overhead_s > 0) options.overhead_s = given->overhead_s;
    if (given->sigma_s > 0) options.sigma_s = given->sigma_s;
    return options;
}

Loop& checked(gimbal_mpi_loop* loop) {
    if (!loop) throw Error(ErrorCode::wrong_use, "the loop is NULL", "it was not begun, or has ended");
    return loop->loop;
}

void require(bool given, const char* what) {
    if (!given) throw Error(ErrorCode::wrong_use, std::string(what) + " is NULL");
}

}  // namespace

gimbal_mpi_loop* gimbal::mpi::begin_loop(MPI_Comm comm, const char* name, std::int64_t iterations,
                                         const LoopOptions& options) {
    Loop begun(comm, name, iterations, options);
    std::string transport(begun.transport());
    return new gimbal_mpi_loop{std::move(begun), std::move(transport)};
}

const char* gimbal_mpi_error_text(void) {
    return gimbal::mpi::kept_error_text();
}

int gimbal_mpi_progress(void) {
    return guarded([] {
        Team::poll_all();
        return 0;
    });
}

int gimbal_mpi_begin_loop(MPI_Comm comm, const char* name, int64_t iterations, const gimbal_mpi_loop_options* options,
                          gimbal_mpi_loop** loop) {
    if (loop) *loop = nullptr;
    return guarded([&] {
        require(loop, "the pointer to the loop");
        require(name, "the loop's name");
        gimbal::mpi::require_own_mpi();
        *loop = gimbal::mpi::begin_loop(comm, name, iterations, options_of(options, Team::of(comm).size()));
        return 0;
    });
}

int gimbal_mpi_next_chunk(gimbal_mpi_loop* loop, int64_t* first, int64_t* end) {
    return guarded([&] {
        Loop& open = checked(loop);
        require(first && end, "the pointer to the chunk");
        const Chunk chunk = open.next();
        *first = chunk.first;
        *end = chunk.end;
        return chunk ? 1 : 0;
    });
}

int gimbal_mpi_progress_loop(gimbal_mpi_loop* loop) {
    return guarded([&] {
        checked(loop).progress();
        return 0;
    });
}

int gimbal_mpi_finish_chunk(gimbal_mpi_loop* loop, int64_t first, int64_t end) {
    return guarded([&] { return checked(loop).finish(Chunk{first, end}) ? 1 : 0; });
}

int gimbal_mpi_end_loop(gimbal_mpi_loop** loop) {
    return guarded([&] {
        require(loop, "the pointer to the loop");
        const std::unique_ptr<gimbal_mpi_loop> ending(*loop);
        *loop = nullptr;
        checked(ending.get()).leave();
        return 0;
    });
}

const char* gimbal_mpi_get_transport(const gimbal_mpi_loop* loop) {
    return loop ? loop->transport.c_str() : "";
}
