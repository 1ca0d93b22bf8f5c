// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collective calls that do not block, along binomial trees: SMPI 3.32 has some that send P messages at every rank, and
// whose MPI_Test() looks at each of them.
#include "smpi/collectives.hpp"

#include <cstring>
#include <map>
#include <set>

#include "gimbal/per_rank.hpp"
#include "smpi/own_calls.hpp"

namespace gimbal::smpi {

namespace {

constexpr int kFirstTag = 500'000;  // below SMPI's largest tag, above all of Gimbal's
constexpr int kTags = 400'000;      // two for each collective in turn

struct Communicators {
    std::set<MPI_Comm> own;               // made by MPI_Comm_idup: nobody else sends messages there
    std::map<MPI_Comm, MPI_Comm> shadow;  // of the others: a duplicate for messages
    std::map<MPI_Comm, int> next;         // collectives so far
};
PerRank<Communicators*> communicators;

Communicators& known() {
    Communicators*& all = communicators.here();
    if (!all) all = new Communicators;
    return *all;
}

// A program may wait for any message on its communicator. The first collective that is asked for there blocks.
MPI_Comm comm_for(MPI_Comm comm) {
    Communicators& all = known();
    if (is_own(comm)) return comm;
    MPI_Comm& shadow = all.shadow.try_emplace(comm, MPI_COMM_NULL).first->second;
    if (shadow == MPI_COMM_NULL) PMPI_Comm_dup(comm, &shadow);
    return shadow;
}

}  // namespace

bool is_own(MPI_Comm comm) {
    return known().own.contains(comm);
}

void note_own(MPI_Comm comm) {
    known().own.insert(comm);
}

void forget(MPI_Comm comm) {
    Communicators& all = known();
    all.own.erase(comm);
    all.next.erase(comm);
    const auto found = all.shadow.find(comm);
    if (found == all.shadow.end()) return;
    all.next.erase(found->second);
    PMPI_Comm_free(&found->second);
    all.shadow.erase(found);
}

Collective::Collective(const CollectiveCall& call) : call_(call), comm_(comm_for(call.comm)) {
    PMPI_Comm_rank(comm_, &rank_);
    PMPI_Comm_size(comm_, &size_);
    relative_ = (rank_ - call.root + size_) % size_;
    int& serial = known().next[comm_];
    tag_ = kFirstTag + 2 * (serial++ % (kTags / 2));
    int bytes = 0;
    PMPI_Type_size(call.type, &bytes);
    bytes_ = static_cast<std::size_t>(bytes) * static_cast<std::size_t>(call.count);
    data_.resize(bytes_);
    incoming_.resize(bytes_);
    const bool contributes = call.reduces || relative_ == 0;
    if (bytes_ > 0 && contributes) std::memcpy(data_.data(), call.in, bytes_);
    phase_ = call.reduces ? Phase::reduce : Phase::broadcast;
    if (phase_ == Phase::broadcast) begin_broadcast();
}

int Collective::actual(int relative) const noexcept {
    return (relative + call_.root) % size_;
}

void Collective::send(int relative, int tag) {
    MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
    own_isend(data_.data(), call_.count, call_.type, actual(relative), tag, comm_, &request);
}

// @return whether it is here
bool Collective::receive(int relative, int tag) {
    if (!is_collective_coming()) return false;
    // Not MPI_Irecv and MPI_Test: SMPI 3.32 gets slower with each message that is received so.
    int here = 0;
    PMPI_Iprobe(actual(relative), tag, comm_, &here, MPI_STATUS_IGNORE);
    if (!here) return false;
    PMPI_Recv(incoming_.data(), call_.count, call_.type, actual(relative), tag, comm_, MPI_STATUS_IGNORE);
    note_collective_received();
    return true;
}

// Children are relative_ + 1, + 2, + 4, ... below the lowest bit of relative_.
bool Collective::reduced() {
    for (; distance_ < size_; distance_ *= 2) {
        if (relative_ & distance_) {
            send(relative_ - distance_, tag_);
            return true;
        }
        if (relative_ + distance_ >= size_) continue;
        if (!receive(relative_ + distance_, tag_)) return false;
        if (bytes_ > 0) PMPI_Reduce_local(incoming_.data(), data_.data(), call_.count, call_.type, call_.op);
    }
    return true;
}

void Collective::begin_broadcast() {
    for (distance_ = 1; distance_ < size_ && !(relative_ & distance_);) distance_ *= 2;
}

bool Collective::was_broadcast() {
    if (relative_ != 0 && !told_) {
        if (!receive(relative_ - distance_, tag_ + 1)) return false;
        data_.swap(incoming_);
        told_ = true;
    }
    for (int child = distance_ / 2; child > 0; child /= 2)
        if (relative_ + child < size_) send(relative_ + child, tag_ + 1);
    return true;
}

bool Collective::sent() {
    while (!sends_.empty()) {
        int gone = 0;
        PMPI_Test(&sends_.back(), &gone, MPI_STATUS_IGNORE);
        if (!gone) return false;
        sends_.pop_back();
    }
    return true;
}

bool Collective::complete() {
    if (phase_ == Phase::reduce) {
        if (!reduced()) return false;
        phase_ = call_.broadcasts ? Phase::broadcast : Phase::leave;
        begin_broadcast();
    }
    if (phase_ == Phase::broadcast) {
        if (!was_broadcast()) return false;
        phase_ = Phase::leave;
    }
    if (!sent()) return false;
    const bool receives = call_.broadcasts || relative_ == 0;
    if (bytes_ > 0 && receives) std::memcpy(call_.out, data_.data(), bytes_);
    return true;
}

}  // namespace gimbal::smpi
