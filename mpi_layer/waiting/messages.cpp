// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "messages.hpp"

#include <array>
#include <atomic>
#include <bit>

#include "node.hpp"
#include "program_mpi.hpp"

namespace gimbal::waiting {

namespace {

constexpr std::size_t kBits = 64;
std::array<std::atomic<std::uint64_t>, Node::kMaxSlots / kBits> g_partners;  // one bit a slot

MPI_Request g_never{};
bool g_asks_for_progress = false;
std::atomic<bool> g_may_be_quiet{false};

/// A rank of the node has gone without a word.
bool any_has_died() noexcept {
    for (int slot = 0; slot < node().slots(); ++slot)
        if (!node().rank(slot).left.load(std::memory_order_relaxed) && !node().is_alive(slot)) return true;
    return false;
}

}  // namespace

void let_be_quiet(bool yes) noexcept {
    g_may_be_quiet.store(yes);
}

bool can_be_quiet() noexcept {
    // Relaxed: set in MPI_Init, before any call that it is about.
    return g_may_be_quiet.load(std::memory_order_relaxed);
}

#ifndef OPEN_MPI

namespace {
constexpr std::array kErrorsWithoutComm{MPI_COMM_WORLD, MPI_COMM_SELF};  // the one or the other, as versions have it
}

QuietErrors::QuietErrors() noexcept {
    for (std::size_t i = 0; i < handlers_.size(); ++i) {
        mpi().Comm_get_errhandler(kErrorsWithoutComm[i], &handlers_[i]);
        if (handlers_[i] != MPI_ERRORS_RETURN) mpi().Comm_set_errhandler(kErrorsWithoutComm[i], MPI_ERRORS_RETURN);
    }
}

QuietErrors::~QuietErrors() {
    for (std::size_t i = 0; i < handlers_.size(); ++i) {
        if (handlers_[i] == MPI_ERRORS_RETURN) continue;
        mpi().Comm_set_errhandler(kErrorsWithoutComm[i], handlers_[i]);
        if (handlers_[i] != MPI_ERRORS_ARE_FATAL) mpi().Errhandler_free(&handlers_[i]);
    }
}

#endif

// MPI_Iprobe would not do: MPICH makes no progress on MPI_COMM_SELF, nor where a message is there. To ask after a
// request that is not complete makes progress in every MPI; this one belongs to nobody and is complete when MPI ends.
void begin_progress() noexcept {
    const auto query = [](void*, MPI_Status*) { return MPI_SUCCESS; };
    const auto free = [](void*) { return MPI_SUCCESS; };
    const auto cancel = [](void*, int) { return MPI_SUCCESS; };
    g_asks_for_progress = mpi().Grequest_start(query, free, cancel, nullptr, &g_never) == MPI_SUCCESS;
}

void make_progress() noexcept {
    int flag = 0;
    MPI_Status status;
    if (g_asks_for_progress) mpi().Request_get_status(g_never, &flag, &status);
}

void end_progress() noexcept {
    MPI_Status status;
    if (!g_asks_for_progress) return;
    g_asks_for_progress = false;
    mpi().Grequest_complete(g_never);
    mpi().Wait(&g_never, &status);
}

void partners::note(int slot) noexcept {
    if (slot < 0) return;
    auto& bits = g_partners[static_cast<std::size_t>(slot) / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(slot) % kBits);
    if ((bits.load(std::memory_order_relaxed) & bit) == 0) bits.fetch_or(bit, std::memory_order_relaxed);
}

void partners::wake(int slot) noexcept {
    if (slot < 0 || slot == node().slot()) return;
    // What it is woken up for, in MPI's memory, comes first: partner of the count of sleepers in sleep_until().
    std::atomic_thread_fence(std::memory_order_seq_cst);
    node().wake(slot);
}

void partners::wake_all() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (std::size_t i = 0; i < g_partners.size() && i * kBits < static_cast<std::size_t>(node().slots()); ++i)
        for (std::uint64_t bits = g_partners[i].load(std::memory_order_relaxed); bits != 0; bits &= bits - 1) {
            const int slot = static_cast<int>(i * kBits) + std::countr_zero(bits);
            if (slot != node().slot()) node().wake(slot);
        }
}

bool can_look_at_requests() noexcept {
#ifdef OPEN_MPI
    return true;
#else
    return can_be_quiet();
#endif
}

MPI_Request request_at(Language language, const void* requests, int index) noexcept {
    if (language == Language::c) return static_cast<const MPI_Request*>(requests)[index];
    return mpi().Request_f2c(static_cast<const MPI_Fint*>(requests)[index]);
}

bool RequestsAwaited::is_complete(int index) noexcept {
    int flag = 0;
    MPI_Status status;
    // A request that is in error is complete: the program's own call says so.
    return mpi().Request_get_status(request_at(language_, requests_, index), &flag, &status) != MPI_SUCCESS || flag;
}

bool RequestsAwaited::is_there() noexcept {
    [[maybe_unused]] const QuietErrors quiet;
    if (!any_) {
        while (complete_ < count_ && is_complete(complete_)) ++complete_;
        return complete_ >= count_;
    }
    bool none = true;
    for (int i = 0; i < count_; ++i) {
        // MPI calls it complete; the program's call waits for the others.
        if (request_at(language_, requests_, i) == mpi().no_request) continue;
        if (is_complete(i)) return true;
        none = false;
    }
    return none;
}

/// Also where a request is not completed by looking at it, as those of MPIX_Grequest_start.
bool RequestsAwaited::is_hopeless() noexcept {
    return patience_.double_if_over() || any_has_died();
}

bool MessageAwaited::is_there() noexcept {
    int flag = 0;
    MPI_Status status;
    return mpi().Iprobe(source_, tag_, comm_, &flag, &status) != MPI_SUCCESS || flag;
}

bool MessageAwaited::is_hopeless() noexcept {
    return patience_.double_if_over() || any_has_died();
}

}  // namespace gimbal::waiting
