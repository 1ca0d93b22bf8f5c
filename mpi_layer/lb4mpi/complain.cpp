// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lb4mpi/complain.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "gimbal/rank_loop.h"
#include "team/own_mpi.hpp"

namespace gimbal::lb4mpi {

namespace {

// For what the ranks before this one have to say. One that ends the program ends the others before their turn.
constexpr useconds_t kPatience_us = 2'000'000;
constexpr useconds_t kEachRank_us = 500'000;
constexpr int kMaxTurns = 20;
// Launchers drop what they have not passed on yet when they are told to abort.
constexpr useconds_t kPassedOn_us = 200'000;

/// Of MPI_COMM_WORLD. @return -1: MPI is not running
int world_rank() noexcept {
    int running = 0, over = 0, rank = -1;
    MPI_Initialized(&running);
    MPI_Finalized(&over);
    // Another MPI's communicators are no handles of ours.
    if (running && !over && mpi::is_own_mpi()) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

}  // namespace

void complain(std::string_view call, const std::string& what) noexcept {
    try {
        gimbal_rank_warn((std::string(call) + ": " + what).c_str());
    } catch (...) {
        gimbal_rank_warn("a DLS function was called wrongly, and there is no memory left for the message");
    }
}

void complain_of_loss(std::string_view call, const std::string& what) noexcept {
    const int rank = world_rank();
    try {
        const std::string text = std::string(call) + ": " + what;
        if (gimbal_rank_warn(text.c_str()))
            std::fprintf(stderr, "gimbal: warning: %s (on rank %d)\n", text.c_str(), rank);
    } catch (...) {
        complain(call, what);
    }
}

void die(std::string_view call, std::string_view what, std::string_view hint) noexcept {
    const int known = world_rank();
    const bool running = known >= 0;
    const int rank = std::max(known, 0);
    // Should those before have nothing to say, this one is still there.
    for (int turn = 0; turn < std::min(rank, kMaxTurns); ++turn) usleep(turn == 0 ? kPatience_us : kEachRank_us);
    const auto length = [](std::string_view text) { return static_cast<int>(text.size()); };
    std::fprintf(stderr, "gimbal: error: %.*s: %.*s", length(call), call.data(), length(what), what.data());
    std::fprintf(stderr, rank == 0 ? "\n" : " (on rank %d)\n", rank);
    if (!hint.empty()) std::fprintf(stderr, "        %.*s\n", length(hint), hint.data());
    std::fflush(nullptr);
    if (running) {
        usleep(kPassedOn_us);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::_Exit(1);
}

}  // namespace gimbal::lb4mpi
