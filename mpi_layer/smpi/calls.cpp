// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls of MPI that are other ones here than SMPI's: include/mpi.h.
#include <simgrid/actor.h>
#include <xbt/config.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "gimbal/per_rank.hpp"
#include "smpi/collectives.hpp"
#include "smpi/own_calls.hpp"
#include "smpi/waiting.hpp"

namespace gimbal::smpi {

namespace {

// Requests of this file have an odd address.
constexpr std::uintptr_t kOurs = 1;

Collective* collective_of(MPI_Request request) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(request);
    return address & kOurs ? reinterpret_cast<Collective*>(address - kOurs) : nullptr;
}

int begin(const CollectiveCall& call, MPI_Request* request) {
    auto made = std::make_unique<Collective>(call);
    *request = reinterpret_cast<MPI_Request>(reinterpret_cast<std::uintptr_t>(made.release()) + kOurs);
    return MPI_SUCCESS;
}

CollectiveCall reduction(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return {.in = in == MPI_IN_PLACE ? out : in,
            .out = out,
            .count = count,
            .type = type,
            .op = op,
            .root = root,
            .reduces = true,
            .comm = comm};
}

/// A message that was found and not received. One thread a rank: nobody else can receive it meanwhile.
struct Found {
    int source;
    int tag;
    MPI_Comm comm;
};

/// Messages on Gimbal's communicators that are probed for, of one rank. What has not been sent need not be looked for.
struct Messages {
    std::uint64_t sent = 0;  // to it
    std::uint64_t received = 0;
    std::uint64_t in_collectives = 0;  // sent to it and not received
};

// By number of process. A deque: a rank's stays where it is when another one comes.
Messages& messages_of(int process) {
    static auto* const all = new std::deque<Messages>;
    const auto number = static_cast<std::size_t>(process);
    if (number >= all->size()) all->resize(number + 1);
    return (*all)[number];
}

Messages& own_messages() {
    return messages_of(static_cast<int>(sg_actor_self_get_pid()));
}

// SMPI numbers processes from 1, in the order of the ranks of MPI_COMM_WORLD.
int process_of(int rank, MPI_Comm comm) {
    MPI_Group members = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &members);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    int found = 0;
    PMPI_Group_translate_ranks(members, 1, &rank, world, &found);
    PMPI_Group_free(&members);
    PMPI_Group_free(&world);
    return found + 1;
}

void announce(int to, MPI_Comm comm) {
    const int process = process_of(to, comm);
    if (is_own(comm)) ++messages_of(process).sent;
    wake(process);
}

void note_received(MPI_Comm comm) {
    if (is_own(comm)) ++own_messages().received;
}

using Keys = std::vector<int>;
PerRank<Keys*> keys_of_self;  // attributes of MPI_COMM_SELF, in the order in which they were set

}  // namespace

int own_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    pay();
    const int code = PMPI_Isend(data, count, type, to, tag, comm, request);
    const int process = process_of(to, comm);
    ++messages_of(process).in_collectives;
    wake(process);
    return code;
}

bool is_collective_coming() {
    if (own_messages().in_collectives > 0) return true;
    static const double test_s = sg_cfg_get_double("smpi/test");
    owe(test_s);
    return false;
}

void note_collective_received() {
    --own_messages().in_collectives;
}

}  // namespace gimbal::smpi

using namespace gimbal::smpi;

extern "C" {

int gimbal_smpi_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request* request) {
    pay();
    const int code = PMPI_Isend(data, count, type, to, tag, comm, request);
    announce(to, comm);
    return code;
}

int gimbal_smpi_issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                       MPI_Request* request) {
    pay();
    const int code = PMPI_Issend(data, count, type, to, tag, comm, request);
    announce(to, comm);
    return code;
}

int gimbal_smpi_recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    note_received(comm);
    return PMPI_Recv(data, count, type, source, tag, comm, status);
}

int gimbal_smpi_iprobe(int source, int tag, MPI_Comm comm, int* here, MPI_Status* status) {
    const Messages& mine = own_messages();
    if (!is_own(comm) || mine.sent != mine.received) return PMPI_Iprobe(source, tag, comm, here, status);
    static const double probe_s = sg_cfg_get_double("smpi/iprobe");
    owe(probe_s);
    *here = 0;
    return MPI_SUCCESS;
}

int gimbal_smpi_test(MPI_Request* request, int* done, MPI_Status* status) {
    if (*request == MPI_REQUEST_NULL) {  // SMPI's says that it is not done
        *done = 1;
        return MPI_SUCCESS;
    }
    Collective* const collective = collective_of(*request);
    if (!collective) return PMPI_Test(request, done, status);
    *done = collective->complete() ? 1 : 0;
    if (*done) {
        delete collective;
        *request = MPI_REQUEST_NULL;
    }
    return MPI_SUCCESS;
}

int gimbal_smpi_wait(MPI_Request* request, MPI_Status* status) {
    if (!collective_of(*request)) return PMPI_Wait(request, status);
    Waiting waiting;
    for (int done = 0;; waiting.let_time_pass()) {
        const int code = gimbal_smpi_test(request, &done, status);
        if (done || code != MPI_SUCCESS) return code;
    }
}

int gimbal_smpi_improbe(int source, int tag, MPI_Comm comm, int* here, MPI_Message* message, MPI_Status* status) {
    MPI_Status found;
    const int code = gimbal_smpi_iprobe(source, tag, comm, here, &found);
    if (code != MPI_SUCCESS || !*here) return code;
    *message = new Found{found.MPI_SOURCE, found.MPI_TAG, comm};
    if (status != MPI_STATUS_IGNORE) *status = found;
    return code;
}

int gimbal_smpi_mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    const std::unique_ptr<Found> found(static_cast<Found*>(std::exchange(*message, nullptr)));
    note_received(found->comm);
    return PMPI_Recv(data, count, type, found->source, found->tag, found->comm, status);
}

int gimbal_smpi_imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
    const std::unique_ptr<Found> found(static_cast<Found*>(std::exchange(*message, nullptr)));
    note_received(found->comm);
    *request = MPI_REQUEST_NULL;  // it is here: done at once (and collectives.cpp, about MPI_Irecv)
    return PMPI_Recv(data, count, type, found->source, found->tag, found->comm, MPI_STATUS_IGNORE);
}

int gimbal_smpi_ibarrier(MPI_Comm comm, MPI_Request* request) {
    return begin({.reduces = true, .broadcasts = true, .comm = comm}, request);
}

int gimbal_smpi_ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    return begin(
        {.in = data, .out = data, .count = count, .type = type, .root = root, .broadcasts = true, .comm = comm},
        request);
}

int gimbal_smpi_ireduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                        MPI_Request* request) {
    return begin(reduction(in, out, count, type, op, root, comm), request);
}

int gimbal_smpi_iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                           MPI_Request* request) {
    CollectiveCall all = reduction(in, out, count, type, op, 0, comm);
    all.broadcasts = true;
    return begin(all, request);
}

int gimbal_smpi_comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
    const int code = PMPI_Comm_dup(comm, made);
    *request = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS) note_own(*made);
    return code;
}

int gimbal_smpi_comm_free(MPI_Comm* comm) {
    forget(*comm);
    return PMPI_Comm_free(comm);
}

// SMPI's numbers the ranks of a node as it likes.
int gimbal_smpi_comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    MPI_Comm node = MPI_COMM_NULL;
    const int code = PMPI_Comm_split_type(comm, type, key, info, &node);
    if (code != MPI_SUCCESS || node == MPI_COMM_NULL) return code;
    PMPI_Comm_split(node, 0, key, made);
    return PMPI_Comm_free(&node);
}

int gimbal_smpi_comm_set_attr(MPI_Comm comm, int key, void* value) {
    if (comm == MPI_COMM_SELF) {
        Keys*& keys = keys_of_self.here();
        if (!keys) keys = new Keys;
        keys->push_back(key);
    }
    return PMPI_Comm_set_attr(comm, key, value);
}

int gimbal_smpi_yield(void) noexcept {
    pause_shortly();
    return 0;
}

// The attributes of MPI_COMM_SELF go first, while MPI still runs; SMPI deletes them when it does not any more.
int gimbal_smpi_finalize(void) {
    if (Keys* const keys = keys_of_self.here())
        for (; !keys->empty(); keys->pop_back()) PMPI_Comm_delete_attr(MPI_COMM_SELF, keys->back());
    return PMPI_Finalize();
}

}  // extern "C"
