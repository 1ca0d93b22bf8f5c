// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lb4mpi/setup.hpp"

#include <cmath>
#include <cstring>
#include <string>

#include "gimbal/plain_text.hpp"
#include "lb4mpi/communicator_state.hpp"
#include "lb4mpi/complain.hpp"
#include "lb4mpi/session.hpp"

namespace gimbal::lb4mpi {

namespace {

/// Everything but looptitle and workload, which the program may have set.
void clear(infoDLS& info) {
    const char* const title = info.looptitle;
    const int workload = info.workload;
    std::memset(static_cast<void*>(&info), 0, sizeof info);
    info.looptitle = title;
    info.workload = workload;
    info.comm = MPI_COMM_NULL;
    info.crew = MPI_COMM_NULL;
    info.minChunk = -1;
    info.breakAfter = -1;
    info.requestWhen = -1;
    info.h_overhead = -1;
    info.sigma = -1;
    info.gimbal.name = -1;
    info.gimbal.ready = kReady;
}

/// A structure on the stack may hold what an earlier one left there: only an open loop's number means anything.
void end_loop_before(const char* call, infoDLS& info) {
    if (info.gimbal.ready == kReady && find(info.gimbal.open)) end_open_loop(call, info);
}

}  // namespace

void end_open_loop(const char* call, infoDLS& info) {
    Session* const session = find(info.gimbal.open);
    if (!session) return;
    complain(call, "the loop \"" + session->name() + "\" was not ended by DLS_EndLoop; it is ended now");
    session->leave();
    forget(info.gimbal.open);
    info.gimbal.open = 0;
}

void set_up(MPI_Comm comm, infoDLS& info, bool title) {
    end_loop_before("DLS_Setup", info);
    CommunicatorState& state = CommunicatorState::of(comm);
    clear(info);
    info.comm = comm;
    info.commSize = state.size();
    info.myRank = state.rank();
    info.lastRank = state.size() - 1;
    info.gimbal.slot = state.new_slot();
    CommunicatorState::Arrays& arrays = state.arrays_of(&info);
    info.weights = arrays.weights.data();
    info.stats = arrays.statistics.data();
    if (title) copy_title(info.looptitle, info.gimbal.title);
}

void set_up_follower(MPI_Comm group, infoDLS& info) {
    end_loop_before("DLS_GroupSetup", info);
    clear(info);
    info.crew = group;
    info.myRank = -1;
    info.lastRank = -1;
}

}  // namespace gimbal::lb4mpi

using gimbal::Error;
using gimbal::ErrorCode;
using gimbal::lb4mpi::guarded;

namespace {

infoDLS& checked(infoDLS* info) {
    if (!info) throw Error(ErrorCode::wrong_use, "the structure's address is NULL");
    return *info;
}

void check_items(const void* data, int items, int item_bytes) {
    if (!data) {
        throw Error(ErrorCode::wrong_use, "data is NULL",
                    "allowed: the address of this rank's items; a rank that owns none needs room for one all the same");
    }
    if (items < 0) throw Error(ErrorCode::wrong_use, "items is " + std::to_string(items), "allowed: 0 and more");
    if (item_bytes < 1)
        throw Error(ErrorCode::wrong_use, "item_bytes is " + std::to_string(item_bytes), "allowed: 1 and more");
}

/// As in DLS4LB: the last `slower` ranks run at one speed, the others at another.
void set_weights(infoDLS& info, int slower, double speed, double slower_speed) {
    if (slower <= 0) return;
    if (slower > info.commSize) {
        throw Error(ErrorCode::wrong_use,
                    "nKNL is " + std::to_string(slower) + ", but there are " + std::to_string(info.commSize) + " ranks",
                    "allowed: up to as many as there are ranks; 0 or less: all ranks run at one speed");
    }
    for (const double given : {speed, slower_speed}) {
        if (given > 0 && std::isfinite(given)) continue;
        throw Error(ErrorCode::wrong_use,
                    "a speed is " + gimbal::significant_digits(given, 6) + ", and nKNL " + std::to_string(slower),
                    "allowed: Xeon_speed and KNL_speed > 0 where nKNL > 0");
    }
    double sum = 0;
    for (int rank = 0; rank < info.commSize; ++rank) {
        info.weights[rank] = rank >= info.commSize - slower ? slower_speed : speed;
        sum += info.weights[rank];
    }
    for (int rank = 0; rank < info.commSize; ++rank) info.weights[rank] *= info.commSize / sum;
}

}  // namespace

void DLS_Setup(MPI_Comm comm, infoDLS* info) {
    guarded("DLS_Setup", [&] { gimbal::lb4mpi::set_up(comm, checked(info), true); });
}

void DLS_Parameters_Setup(MPI_Comm comm, infoDLS* info, int numProcs, int requestWhen, int breakAfter, int minChunk,
                          double h_overhead, double sigma, int nKNL, double Xeon_speed, double KNL_speed) {
    static_cast<void>(numProcs);
    guarded("DLS_Parameters_Setup", [&] {
        gimbal::lb4mpi::set_up(comm, checked(info), true);
        info->requestWhen = requestWhen;
        info->breakAfter = breakAfter;
        info->minChunk = minChunk;
        info->h_overhead = h_overhead;
        info->sigma = sigma;
        set_weights(*info, nKNL, Xeon_speed, KNL_speed);
    });
}

void DLS_DataSetup(infoDLS* info, void* data, int items, int item_bytes, int write_back) {
    guarded("DLS_DataSetup", [&] {
        if (checked(info).gimbal.ready != gimbal::lb4mpi::kReady || info->comm == MPI_COMM_NULL)
            throw Error(ErrorCode::wrong_use, "the structure was not set up", "call DLS_Parameters_Setup first");
        if (gimbal::lb4mpi::find(info->gimbal.open))
            throw Error(ErrorCode::wrong_use, "the loop is open", "call it before DLS_StartLoop");
        check_items(data, items, item_bytes);
        info->gimbal.data = data;
        info->gimbal.items = items;
        info->gimbal.item_bytes = item_bytes;
        info->gimbal.write_back = write_back;
        info->gimbal.name = -1;
    });
}

void DLS_Finalize(infoDLS* info) {
    guarded("DLS_Finalize", [&] {
        if (checked(info).gimbal.ready != gimbal::lb4mpi::kReady) return;
        gimbal::lb4mpi::end_open_loop("DLS_Finalize", *info);
        info->comm = MPI_COMM_NULL;
        info->weights = nullptr;
        info->stats = nullptr;
        info->gimbal.ready = 0;
    });
}
