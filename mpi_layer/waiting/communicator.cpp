// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicator.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <numeric>

#include "program_mpi.hpp"

namespace gimbal::waiting {

namespace {

int g_key = MPI_KEYVAL_INVALID;
std::mutex g_making;                    // of a communicator that two threads see first at once
std::atomic<std::uint64_t> g_freed{0};  // communicators so far: a handle may come again

/// The communicator that a thread used last.
struct Latest {
    MPI_Comm comm;
    Communicator* found;
    std::uint64_t freed;
};
constinit __attribute__((tls_model("initial-exec"))) thread_local Latest t_latest{};

int copy_nothing(MPI_Comm, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

int forget(MPI_Comm, int, void* communicator, void*) {
    g_freed.fetch_add(1, std::memory_order_release);
    delete static_cast<Communicator*>(communicator);
    return MPI_SUCCESS;
}

Communicator* find_or_make(MPI_Comm comm) noexcept {
    const std::lock_guard<std::mutex> lock(g_making);
    void* found = nullptr;
    int flag = 0;
    if (mpi().Comm_get_attr(comm, g_key, static_cast<void*>(&found), &flag) != MPI_SUCCESS) return nullptr;
    if (flag) return static_cast<Communicator*>(found);
    auto* const made = new (std::nothrow) Communicator(comm);
    if (made && mpi().Comm_set_attr(comm, g_key, made) == MPI_SUCCESS) return made;
    delete made;
    return nullptr;
}

}  // namespace

bool Communicator::begin() noexcept {
    return mpi().Comm_create_keyval(copy_nothing, forget, &g_key, nullptr) == MPI_SUCCESS;
}

Communicator* Communicator::of(MPI_Comm comm) noexcept {
    const std::uint64_t freed = g_freed.load(std::memory_order_acquire);
    if (t_latest.found && t_latest.comm == comm && t_latest.freed == freed) return t_latest.found;
    t_latest = {comm, find_or_make(comm), freed};
    return t_latest.found;
}

Communicator::Communicator(MPI_Comm comm) noexcept : comm_(comm) {
    int inter = 0;
    mpi().Comm_test_inter(comm, &inter);
    mpi().Comm_rank(comm, &rank_);
    mpi().Comm_size(comm, &size_);
    inter_ = inter != 0;
    if (!inter_ && size_ > 1 && node().slots() > 1) look_up_slots();
}

Communicator::~Communicator() {
    if (arrivals_) node().release(*arrivals_);
}

void Communicator::look_up_slots() noexcept {
    MPI_Group group{};
    if (mpi().Comm_group(comm_, &group) != MPI_SUCCESS) return;
    try {
        const auto size = static_cast<std::size_t>(size_);
        std::vector<int> ranks(size), slots(size);
        std::iota(ranks.begin(), ranks.end(), 0);
        if (node().slots_of(group, ranks, slots)) {
            slots_.assign(slots.begin(), slots.end());
            for (const int slot : slots)
                if (slot >= 0) members_.push_back(static_cast<std::int16_t>(slot));
        }
    } catch (const std::bad_alloc&) {
        slots_.clear();
        members_.clear();
    }
    mpi().Group_free(&group);
}

std::uint64_t Communicator::come(std::uint64_t stamp_ns) noexcept {
    ++calls_;
    if (calls_ == kCallsBefore && !arrivals_) agree();
    if (arrivals_) arrivals_->of(node().slot()).come(calls_, stamp_ns);
    return calls_;
}

/// Processes that were started later may not have this library: they would not take part.
bool Communicator::is_of_one_world() const noexcept {
    MPI_Group group{}, all{};
    if (mpi().Comm_group(comm_, &group) != MPI_SUCCESS) return false;
    bool known = mpi().Comm_group(mpi().world, &all) == MPI_SUCCESS;
    try {
        std::vector<int> ranks(static_cast<std::size_t>(size_)), there(ranks.size(), MPI_UNDEFINED);
        std::iota(ranks.begin(), ranks.end(), 0);
        known = known && mpi().Group_translate_ranks(group, size_, ranks.data(), all, there.data()) == MPI_SUCCESS;
        known = known && std::find(there.begin(), there.end(), MPI_UNDEFINED) == there.end();
    } catch (const std::bad_alloc&) {
        known = false;
    }
    mpi().Group_free(&group);
    mpi().Group_free(&all);
    return known;
}

void Communicator::agree() noexcept {
    if (inter_ || size_ == 1 || !is_of_one_world()) return;
    // Every rank takes part, those that are alone on their node, too.
    std::uint64_t id = 0;
    // Jobs that were started at different times may meet in one communicator.
    if (rank_ == 0) id = (now_ns() << 20U) ^ static_cast<std::uint64_t>(getpid());
    mpi().Bcast(&id, sizeof id, mpi().byte, 0, comm_);
    const bool some = members_.size() > 1 && id != 0;
    const bool first = some && members_.front() == node().slot();
    CommArrivals* found = first ? node().claim(id, static_cast<std::uint32_t>(members_.size())) : nullptr;
    mpi().Barrier(comm_);
    if (some && !first) found = node().find(id);
    // A rank that comes before another has noted its place would begin to count at once: that does no harm, the count
    // is the number of the call.
    arrivals_ = found;
}

}  // namespace gimbal::waiting
