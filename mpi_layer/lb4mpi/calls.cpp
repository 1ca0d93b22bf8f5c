// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that a loop consists of, and the fields that programs read.
#include <algorithm>
#include <limits>

#include "gimbal/rank_loop.h"
#include "lb4mpi/communicator_state.hpp"
#include "lb4mpi/complain.hpp"
#include "lb4mpi/session.hpp"
#include "lb4mpi/setup.hpp"

using gimbal::Error;
using gimbal::ErrorCode;
using gimbal::lb4mpi::CommunicatorState;
using gimbal::lb4mpi::complain;
using gimbal::lb4mpi::complain_of_loss;
using gimbal::lb4mpi::guarded;
using gimbal::lb4mpi::Session;
using gimbal::mpi::Chunk;

namespace lb4mpi = gimbal::lb4mpi;

namespace {

enum Kind { kPlain, kGroup, kItems };

Kind kind_of(const infoDLS& info) {
    if (info.gimbal.data) return kItems;
    return info.crew != MPI_COMM_NULL ? kGroup : kPlain;
}

infoDLS& ready(infoDLS* info) {
    if (!info) throw Error(ErrorCode::wrong_use, "the structure's address is NULL");
    if (info->gimbal.ready != lb4mpi::kReady) {
        throw Error(ErrorCode::wrong_use, "the structure was not set up",
                    "call DLS_Setup, DLS_Parameters_Setup or DLS_GroupSetup first");
    }
    return *info;
}

/// A 64-bit number in the interface's ints: at most INT_MAX.
int to_int(std::int64_t value) {
    return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
}

std::int64_t iterations_of(const infoDLS& info) {
    return std::max<std::int64_t>(0, std::int64_t{info.lastIter} - info.firstIter + 1);
}

/// The seed's listing passes the workload as the last iteration; that is one more than the workload.
void check_workload(const infoDLS& info, const std::string& name) {
    if (name != info.gimbal.title || info.workload <= 0 || iterations_of(info) != std::int64_t{info.workload} + 1)
        return;
    complain("DLS_StartLoop", "the loop \"" + name + "\" has the workload " + std::to_string(info.workload) + ", but " +
                                  std::to_string(info.firstIter) + " to " + std::to_string(info.lastIter) + " are " +
                                  std::to_string(iterations_of(info)) + " iterations: the last one is included");
}

/// The loop's name, the same on all ranks; agreed upon by the first loop after a setup.
const std::string& name_of(infoDLS& info) {
    static const std::string kFollower = "of the group's first rank";
    if (info.comm == MPI_COMM_NULL) return kFollower;
    CommunicatorState& state = CommunicatorState::of(info.comm);
    state.loop_begins(&info, info.weights);
    if (info.gimbal.name < 0) {
        const Kind kind = kind_of(info);
        const char* const plain_name = kind == kItems ? "lb4mpi items" : kind == kGroup ? "lb4mpi outer" : "lb4mpi";
        info.gimbal.name =
            state.agree_on_name(info.gimbal.title, plain_name, info.gimbal.slot,
                                kind == kItems ? 0 : iterations_of(info), kind == kItems ? info.gimbal.item_bytes : 0);
        check_workload(info, state.name(info.gimbal.name));
    }
    return state.name(info.gimbal.name);
}

std::unique_ptr<lb4mpi::OpenLoop> open_loop(infoDLS& info, const std::string& name) {
    switch (kind_of(info)) {
        case kItems:
            return lb4mpi::open_steal_loop(info.comm, name,
                                           {.data = static_cast<std::byte*>(info.gimbal.data),
                                            .count = info.gimbal.items,
                                            .bytes = static_cast<std::size_t>(info.gimbal.item_bytes),
                                            .write_back = info.gimbal.write_back != 0});
        case kGroup:
            return lb4mpi::open_drawn_loop(info.comm, CommunicatorState::of(info.crew).duplicate(), name,
                                           iterations_of(info), lb4mpi::options_of(info));
        case kPlain:
            break;
    }
    return lb4mpi::open_drawn_loop(info.comm, MPI_COMM_NULL, name, iterations_of(info), lb4mpi::options_of(info));
}

void begin_fields(infoDLS& info, int first, int last, int method) {
    info.method = lb4mpi::known_method(method);
    info.firstIter = first;
    info.lastIter = last;
    info.N = to_int(iterations_of(info));
    info.itersScheduled = 0;
    info.minChunkSize = std::max(1, info.minChunk);
    info.maxChunkSize = 0;
    info.chunkStart = first;
    info.subChunkSize = info.numChunks = info.finishedOne = info.myExecs = info.myIters = 0;
    info.rStart = info.wStart = first;
    info.rSize = info.wSize = 0;
    info.gotWork = 1;
    info.workTime = info.sumt1 = info.sumt2 = info.mySumTimes = info.mySumSizes = 0;
    info.t0 = info.t1 = MPI_Wtime();
    ++info.timeStep;
}

/// What a draw has changed.
void draw_fields(infoDLS& info, const Session& session) {
    info.numChunks = to_int(session.chunks());
    info.maxChunkSize = to_int(session.largest());
    info.rStart = to_int(info.firstIter + session.drawn().first);
    info.rSize = to_int(session.drawn().size());
    info.gotWork = session.ended() ? 0 : 1;
    info.itersScheduled = session.ended() ? info.N : to_int(session.reached());
}

void end_part(infoDLS& info, Session& session) {
    const double seconds = std::max(0.0, MPI_Wtime() - info.t1);
    const double size = info.wSize;
    info.workTime += seconds;
    info.mySumTimes += seconds;
    info.mySumSizes += size;
    info.sumt1 += seconds / size;
    info.sumt2 += seconds / size * (seconds / size);
    info.myIters = to_int(std::int64_t{info.myIters} + info.wSize);
    info.myExecs = to_int(std::int64_t{info.myExecs} + 1);
    info.finishedOne = 1;
    info.wSize = 0;
    session.done(seconds);
}

}  // namespace

void DLS_StartLoop(infoDLS* info, int firstIter, int lastIter, int method) {
    guarded("DLS_StartLoop", [&] {
        lb4mpi::end_open_loop("DLS_StartLoop", ready(info));
        begin_fields(*info, firstIter, lastIter, method);
        const std::string& name = name_of(*info);
        auto session = std::make_unique<Session>(name, open_loop(*info, name), info->breakAfter);
        info->gimbal.open = lb4mpi::keep(std::move(session));
        SetBreaks(info);
    });
}

int DLS_Terminated(infoDLS* info) {
    return guarded("DLS_Terminated", [&] {
        Session* const session = lb4mpi::find(ready(info).gimbal.open);
        if (!session) return 1;
        const bool work = session->has_work();
        draw_fields(*info, *session);
        return work ? 0 : 1;
    });
}

void DLS_StartChunk(infoDLS* info, int* start, int* size) {
    guarded("DLS_StartChunk", [&] {
        Session* const session = lb4mpi::find(ready(info).gimbal.open);
        if (!start || !size) throw Error(ErrorCode::wrong_use, "the pointer to the chunk is NULL");
        *start = info->lastIter;
        *size = 0;
        if (!session)
            return complain("DLS_StartChunk", "no loop is open: DLS_StartLoop begins one, DLS_EndLoop ends it");
        if (session->running()) {
            complain("DLS_StartChunk", "the last chunk of \"" + session->name() + "\" was not ended by DLS_EndChunk");
            end_part(*info, *session);
        }
        if (session->ended()) {
            return complain("DLS_StartChunk", "the loop \"" + session->name() +
                                                  "\" has nothing left: DLS_Terminated says when to stop asking");
        }
        const Chunk part = session->take();
        draw_fields(*info, *session);
        if (!part) return;
        *start = static_cast<int>(info->firstIter + part.first);
        *size = static_cast<int>(part.size());
        info->chunkStart = info->wStart = *start;
        info->wSize = info->subChunkSize = *size;
        info->t1 = MPI_Wtime();
    });
}

void DLS_EndChunk(infoDLS* info) {
    guarded("DLS_EndChunk", [&] {
        Session* const session = lb4mpi::find(ready(info).gimbal.open);
        if (session && session->running()) return end_part(*info, *session);
        // DLS_StartChunk may just have found that nothing is left; to end that is in order.
        if (!session) complain("DLS_EndChunk", "no loop is open: DLS_StartLoop begins one, DLS_EndLoop ends it");
    });
}

void DLS_EndLoop(infoDLS* info, int* niters, double* worktime) {
    guarded("DLS_EndLoop", [&] {
        Session* const session = lb4mpi::find(ready(info).gimbal.open);
        if (!session) {
            complain("DLS_EndLoop", "no loop is open: DLS_StartLoop begins one");
        } else {
            if (session->running()) {
                complain("DLS_EndLoop", "the last chunk of \"" + session->name() + "\" was not ended by DLS_EndChunk");
                end_part(*info, *session);
            }
            if (session->drawn())
                complain_of_loss("DLS_EndLoop", "the loop \"" + session->name() +
                                                    "\" is left with iterations that this rank has drawn and not run");
            session->leave();
            lb4mpi::forget(info->gimbal.open);
            info->gimbal.open = 0;
        }
        if (niters) *niters = info->myIters;
        if (worktime) *worktime = info->workTime;
    });
}

void SetBreaks(infoDLS* info) {
    guarded("SetBreaks", [&] {
        const Session* const session = lb4mpi::find(ready(info).gimbal.open);
        info->probeFreq = session ? to_int(session->part_size()) : std::max(0, info->breakAfter);
    });
}
