// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module DLS on top of LB4MPI.h. Its structures live here, in C's layout; Fortran holds their numbers and copies of
// their fields.
#include <algorithm>
#include <map>
#include <memory>

#include "bridge.hpp"
#include "LB4MPI.h"

namespace {

struct Structure {
    infoDLS info{};
    // info.comm and info.crew for Fortran, as they were set up: Open MPI converts none any more when it has ended.
    MPI_Fint comm = 0;
    MPI_Fint crew = 0;

    void convert_comms() {
        comm = MPI_Comm_c2f(info.comm);
        crew = MPI_Comm_c2f(info.crew);
    }
};

std::map<std::int64_t, std::unique_ptr<Structure>>& structures() {
    static auto* const table = new std::map<std::int64_t, std::unique_ptr<Structure>>;  // used to the very end
    return *table;
}

/// A number that is none gives a structure that was never set up: LB4MPI's functions say so.
Structure& of(std::int64_t number) {
    static Structure none;
    const auto found = structures().find(number);
    if (found != structures().end()) return *found->second;
    none = {};
    return none;
}

infoDLS* info_of(std::int64_t number) {
    return &of(number).info;
}

/// The structure of that number, or a new one.
Structure& of_or_new(std::int64_t& number) {
    static std::int64_t last = 0;
    if (structures().count(number) == 0) {
        number = ++last;
        structures().emplace(number, std::make_unique<Structure>());
    }
    return of(number);
}

Structure& named(std::int64_t& number, const char* title, int workload) {
    Structure& structure = of_or_new(number);
    structure.info.looptitle = *title ? title : nullptr;
    structure.info.workload = workload;
    return structure;
}

}  // namespace

void gimbal_dls_setup(std::int64_t* info, MPI_Fint comm, const char* title, int workload) noexcept {
    Structure& structure = named(*info, title, workload);
    DLS_Setup(MPI_Comm_f2c(comm), &structure.info);
    structure.info.looptitle = nullptr;  // it was copied, and Fortran's copy goes
    structure.convert_comms();
}

void gimbal_dls_parameters_setup(std::int64_t* info, MPI_Fint comm, const char* title, int workload,
                                 const int wishes[4], double overhead, double sigma, const double speeds[2]) noexcept {
    Structure& structure = named(*info, title, workload);
    DLS_Parameters_Setup(MPI_Comm_f2c(comm), &structure.info, 0, wishes[0], wishes[1], wishes[2], overhead, sigma,
                         wishes[3], speeds[0], speeds[1]);
    structure.info.looptitle = nullptr;
    structure.convert_comms();
}

void gimbal_dls_weights(std::int64_t info, double* weights) noexcept {
    const infoDLS* const structure = info_of(info);
    if (structure->weights) std::copy_n(structure->weights, structure->commSize, weights);
}

void gimbal_dls_wishes(std::int64_t info, const int wishes[3], double overhead, double sigma, const double* weights,
                       int count) noexcept {
    infoDLS* const structure = info_of(info);
    structure->minChunk = wishes[0];
    structure->breakAfter = wishes[1];
    structure->requestWhen = wishes[2];
    structure->h_overhead = overhead;
    structure->sigma = sigma;
    if (structure->weights && count >= structure->commSize)
        std::copy_n(weights, structure->commSize, structure->weights);
}

void gimbal_dls_group_setup(MPI_Fint world, int coordinator, std::int64_t* outer, std::int64_t* inner) noexcept {
    Structure& outer_one = of_or_new(*outer);
    Structure& inner_one = of_or_new(*inner);
    DLS_GroupSetup(MPI_Comm_f2c(world), coordinator, &outer_one.info, &inner_one.info);
    outer_one.convert_comms();
    inner_one.convert_comms();
}

void gimbal_dls_partition(MPI_Fint world, int coordinator, MPI_Fint* foremen, MPI_Fint* group) noexcept {
    MPI_Comm outer = MPI_COMM_NULL, inner = MPI_COMM_NULL;
    DLS_Partition(MPI_Comm_f2c(world), coordinator, &outer, &inner);
    *foremen = MPI_Comm_c2f(outer);
    *group = MPI_Comm_c2f(inner);
}

void gimbal_dls_data_setup(std::int64_t info, void* data, int items, int item_bytes, int write_back) noexcept {
    DLS_DataSetup(info_of(info), data, items, item_bytes, write_back);
}

void gimbal_dls_start_loop(std::int64_t info, int first, int last, int method) noexcept {
    DLS_StartLoop(info_of(info), first, last, method);
}

int gimbal_dls_terminated(std::int64_t info) noexcept {
    return DLS_Terminated(info_of(info));
}

void gimbal_dls_start_chunk(std::int64_t info, int* start, int* size) noexcept {
    DLS_StartChunk(info_of(info), start, size);
}

void gimbal_dls_end_chunk(std::int64_t info) noexcept {
    DLS_EndChunk(info_of(info));
}

void gimbal_dls_end_loop(std::int64_t info, int* iterations, double* seconds) noexcept {
    DLS_EndLoop(info_of(info), iterations, seconds);
}

void gimbal_dls_finalize(std::int64_t* info) noexcept {
    DLS_Finalize(info_of(*info));
    structures().erase(*info);
    *info = 0;
}

void gimbal_dls_fields(std::int64_t info, int* ints, double* reals) noexcept {
    const Structure& structure = of(info);
    const infoDLS& f = structure.info;
    const int values[] = {structure.comm,   structure.crew, f.commSize,  f.crewSize,     f.foreman,      f.myRank,
                          f.firstRank,      f.lastRank,     f.method,    f.firstIter,    f.lastIter,     f.N,
                          f.itersScheduled, f.batchSize,    f.batchRem,  f.minChunkSize, f.maxChunkSize, f.chunkFSC,
                          f.chunkMFSC,      f.chunkStart,   f.probeFreq, f.sendRequest,  f.subChunkSize, f.numChunks,
                          f.numENDed,       f.finishedOne,  f.myExecs,   f.myIters,      f.rStart,       f.rSize,
                          f.wStart,         f.wSize,        f.nextStart, f.nextSize,     f.gotWork,      f.TSSchunk,
                          f.TSSdelta,       f.timeStep};
    std::copy(std::begin(values), std::end(values), ints);
    const double times[] = {f.kopt0, f.workTime, f.t0, f.t1, f.sumt1, f.sumt2, f.mySumTimes, f.mySumSizes};
    std::copy(std::begin(times), std::end(times), reals);
}
