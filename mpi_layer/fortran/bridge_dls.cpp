// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module DLS on top of LB4MPI.h. Its structures live here, in C's layout; Fortran holds their numbers and copies of
// their fields.
#include <algorithm>
#include <map>
#include <memory>

#include "bridge.hpp"
#include "LB4MPI.h"

namespace {

std::map<std::int64_t, std::unique_ptr<infoDLS>>& structures() {
    static auto* const table = new std::map<std::int64_t, std::unique_ptr<infoDLS>>;  // used to the very end
    return *table;
}

/// A number that is none gives a structure that was never set up: LB4MPI's functions say so.
infoDLS* of(std::int64_t number) {
    static infoDLS none{};
    const auto found = structures().find(number);
    if (found != structures().end()) return found->second.get();
    none = {};
    return &none;
}

/// The structure of that number, or a new one.
infoDLS* of_or_new(std::int64_t& number) {
    static std::int64_t last = 0;
    if (structures().count(number) == 0) {
        number = ++last;
        structures().emplace(number, std::make_unique<infoDLS>());
    }
    return of(number);
}

infoDLS* named(std::int64_t& number, const char* title, int workload) {
    infoDLS* const structure = of_or_new(number);
    structure->looptitle = *title ? title : nullptr;
    structure->workload = workload;
    return structure;
}

MPI_Fint fortran_comm(MPI_Comm comm) {
    return MPI_Comm_c2f(comm);
}

}  // namespace

void gimbal_dls_setup(std::int64_t* info, MPI_Fint comm, const char* title, int workload) noexcept {
    infoDLS* const structure = named(*info, title, workload);
    DLS_Setup(MPI_Comm_f2c(comm), structure);
    structure->looptitle = nullptr;  // it was copied, and Fortran's copy goes
}

void gimbal_dls_parameters_setup(std::int64_t* info, MPI_Fint comm, const char* title, int workload,
                                 const int wishes[4], double overhead, double sigma, const double speeds[2]) noexcept {
    infoDLS* const structure = named(*info, title, workload);
    DLS_Parameters_Setup(MPI_Comm_f2c(comm), structure, 0, wishes[0], wishes[1], wishes[2], overhead, sigma, wishes[3],
                         speeds[0], speeds[1]);
    structure->looptitle = nullptr;
}

void gimbal_dls_weights(std::int64_t info, double* weights) noexcept {
    const infoDLS* const structure = of(info);
    if (structure->weights) std::copy_n(structure->weights, structure->commSize, weights);
}

void gimbal_dls_wishes(std::int64_t info, const int wishes[3], double overhead, double sigma, const double* weights,
                       int count) noexcept {
    infoDLS* const structure = of(info);
    structure->minChunk = wishes[0];
    structure->breakAfter = wishes[1];
    structure->requestWhen = wishes[2];
    structure->h_overhead = overhead;
    structure->sigma = sigma;
    if (structure->weights && count >= structure->commSize)
        std::copy_n(weights, structure->commSize, structure->weights);
}

void gimbal_dls_group_setup(MPI_Fint world, int coordinator, std::int64_t* outer, std::int64_t* inner) noexcept {
    DLS_GroupSetup(MPI_Comm_f2c(world), coordinator, of_or_new(*outer), of_or_new(*inner));
}

void gimbal_dls_partition(MPI_Fint world, int coordinator, MPI_Fint* foremen, MPI_Fint* group) noexcept {
    MPI_Comm outer = MPI_COMM_NULL, inner = MPI_COMM_NULL;
    DLS_Partition(MPI_Comm_f2c(world), coordinator, &outer, &inner);
    *foremen = fortran_comm(outer);
    *group = fortran_comm(inner);
}

void gimbal_dls_data_setup(std::int64_t info, void* data, int items, int item_bytes, int write_back) noexcept {
    DLS_DataSetup(of(info), data, items, item_bytes, write_back);
}

void gimbal_dls_start_loop(std::int64_t info, int first, int last, int method) noexcept {
    DLS_StartLoop(of(info), first, last, method);
}

int gimbal_dls_terminated(std::int64_t info) noexcept {
    return DLS_Terminated(of(info));
}

void gimbal_dls_start_chunk(std::int64_t info, int* start, int* size) noexcept {
    DLS_StartChunk(of(info), start, size);
}

void gimbal_dls_end_chunk(std::int64_t info) noexcept {
    DLS_EndChunk(of(info));
}

void gimbal_dls_end_loop(std::int64_t info, int* iterations, double* seconds) noexcept {
    DLS_EndLoop(of(info), iterations, seconds);
}

void gimbal_dls_finalize(std::int64_t* info) noexcept {
    DLS_Finalize(of(*info));
    structures().erase(*info);
    *info = 0;
}

void gimbal_dls_fields(std::int64_t info, int* ints, double* reals) noexcept {
    const infoDLS& f = *of(info);
    const bool none = f.gimbal.ready == 0;
    const int values[] = {fortran_comm(none ? MPI_COMM_NULL : f.comm),
                          fortran_comm(none ? MPI_COMM_NULL : f.crew),
                          f.commSize,
                          f.crewSize,
                          f.foreman,
                          f.myRank,
                          f.firstRank,
                          f.lastRank,
                          f.method,
                          f.firstIter,
                          f.lastIter,
                          f.N,
                          f.itersScheduled,
                          f.batchSize,
                          f.batchRem,
                          f.minChunkSize,
                          f.maxChunkSize,
                          f.chunkFSC,
                          f.chunkMFSC,
                          f.chunkStart,
                          f.probeFreq,
                          f.sendRequest,
                          f.subChunkSize,
                          f.numChunks,
                          f.numENDed,
                          f.finishedOne,
                          f.myExecs,
                          f.myIters,
                          f.rStart,
                          f.rSize,
                          f.wStart,
                          f.wSize,
                          f.nextStart,
                          f.nextSize,
                          f.gotWork,
                          f.TSSchunk,
                          f.TSSdelta,
                          f.timeStep};
    std::copy(std::begin(values), std::end(values), ints);
    const double times[] = {f.kopt0, f.workTime, f.t0, f.t1, f.sumt1, f.sumt2, f.mySumTimes, f.mySumSizes};
    std::copy(std::begin(times), std::end(times), reals);
}
