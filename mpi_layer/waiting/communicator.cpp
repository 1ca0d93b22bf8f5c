// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicator.hpp"

#include <atomic>
#include <bit>
#include <ctime>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>

#include "gimbal/hash.hpp"
#include "messages.hpp"
#include "program_mpi.hpp"
#include "wrapped_call.hpp"

namespace gimbal::waiting {

namespace {

constexpr int kTriesForWorld = 1000;

int g_key = MPI_KEYVAL_INVALID;
MPI_Group g_world{};                    // of MPI_COMM_WORLD
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
    // A call that was left by a longjmp.
    if (t_current.comm == communicator) t_current.comm = nullptr;
    delete static_cast<Communicator*>(communicator);
    return MPI_SUCCESS;
}

/// @return false: there is no such communicator
bool find(MPI_Comm comm, Communicator*& found) noexcept {
    // What is wrong with it is for the program's own call to say.
    std::optional<QuietErrors> quiet;
    if (can_be_quiet()) quiet.emplace();
    void* attribute = nullptr;
    int flag = 0;
    if (mpi().Comm_get_attr(comm, g_key, static_cast<void*>(&attribute), &flag) != MPI_SUCCESS) return false;
    found = flag ? static_cast<Communicator*>(attribute) : nullptr;
    return true;
}

Communicator* find_or_make(MPI_Comm comm) noexcept {
    Communicator* found = nullptr;
    // Before the lock: where errors cannot be silent a handler of the program's may leave by a longjmp.
    if (!find(comm, found) || found) return found;
    const std::lock_guard<std::mutex> lock(g_making);
    if (!find(comm, found) || found) return found;
    auto* const made = new (std::nothrow) Communicator(comm);
    if (made && mpi().Comm_set_attr(comm, g_key, made) == MPI_SUCCESS) return made;
    delete made;
    return nullptr;
}

}  // namespace

bool Communicator::begin() noexcept {
    return mpi().Comm_create_keyval(copy_nothing, forget, &g_key, nullptr) == MPI_SUCCESS &&
           mpi().Comm_group(mpi().world, &g_world) == MPI_SUCCESS;
}

Communicator* Communicator::of(MPI_Comm comm) noexcept {
    // What is wrong is for the program's own call to say.
    if (comm == mpi().no_comm) return nullptr;
    const std::uint64_t freed = g_freed.load(std::memory_order_acquire);
    if (t_latest.found && t_latest.comm == comm && t_latest.freed == freed) return t_latest.found;
    t_latest = {comm, find_or_make(comm), freed};
    return t_latest.found;
}

Communicator::Communicator(MPI_Comm comm) noexcept {
    int inter = 0;
    mpi().Comm_test_inter(comm, &inter);
    mpi().Comm_size(comm, &size_);
    inter_ = inter != 0;
    partners_ = size_;
    if (inter_) mpi().Comm_remote_size(comm, &partners_);
    if (!inter_ && size_ > 1 && node().slots() > 1) look_up_slots(comm);
}

Communicator::~Communicator() {
    if (arrivals_) node().release(*arrivals_);
}

void Communicator::look_up_slots(MPI_Comm comm) noexcept {
    MPI_Group group{};
    if (mpi().Comm_group(comm, &group) != MPI_SUCCESS) return;
    try {
        const auto size = static_cast<std::size_t>(size_);
        std::vector<int> ranks(size), slots(size);
        std::iota(ranks.begin(), ranks.end(), 0);
        if (node().slots_of(group, ranks, slots)) {
            slots_.assign(slots.begin(), slots.end());
            for (const int slot : slots)
                if (slot >= 0) members_.push_back(static_cast<std::int16_t>(slot));
        }
        mpi().Group_translate_ranks(group, 1, ranks.data(), g_world, &first_);
    } catch (const std::bad_alloc&) {
        slots_.clear();
        members_.clear();
    }
    mpi().Group_free(&group);
}

std::uint64_t Communicator::come(std::uint64_t stamp_ns) noexcept {
    ++calls_;
    // Again at twice the number of calls, and so on: there may have been no place.
    if (!arrivals_ && calls_ >= kCallsBefore && std::has_single_bit(calls_)) attach();
    if (arrivals_) arrivals_->of(node().slot()).come(calls_, stamp_ns);
    return calls_;
}

void Communicator::attach() noexcept {
    if (id_ != 0 && members_.size() > 1) arrivals_ = node().attach(id_, static_cast<std::uint32_t>(members_.size()));
}

void Communicator::end_arrivals() noexcept {
    // A rank without a place never takes one now, which the others find missing.
    id_ = 0;
    if (!arrivals_ || arrivals_->ended.exchange(1, std::memory_order_seq_cst) != 0) return;
    for (const int slot : members_) node().wake(slot);
}

void Communicator::be_world() noexcept {
    id_ = 1;
    for (int tries = 0; tries < kTriesForWorld && !arrivals_ && members_.size() > 1; ++tries) {
        attach();
        const timespec pause{.tv_sec = 0, .tv_nsec = 50000};
        if (!arrivals_) nanosleep(&pause, nullptr);
    }
}

void Communicator::come_from(const Communicator& parent, CallId call, std::uint64_t number) noexcept {
    // Processes that were started later have another MPI_COMM_WORLD: their communicators come from no known one. The
    // communicators that one call makes have no rank in common.
    if (parent.id_ == 0 || inter_) return;
    id_ = hash_with(hash_with(hash_with(parent.id_, number), static_cast<std::uint64_t>(call)),
                    static_cast<std::uint64_t>(first_));
    if (id_ == 0) id_ = 1;
}

}  // namespace gimbal::waiting
