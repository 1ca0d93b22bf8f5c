// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <new>

#include "gimbal/process_stat.hpp"
#include "gimbal/rank_cores.h"
#include "program_mpi.hpp"
#include "start.hpp"

namespace gimbal::waiting {

namespace {

constexpr int kCommunicators = 128;                   // whose arrivals a node can keep at a time
constexpr int kTriesToAttach = 2000;                  // some 20 us, while another rank does: it may have lost its core
constexpr std::uint64_t kMeeting_ns = 3'000'000'000;  // from the end of MPI_Init of one rank to that of all
constexpr std::uint32_t kAll = 1, kNotAll = 2;
constexpr std::size_t kPage = GIMBAL_RANK_CORES_SLOT_BYTES;

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + kPage - 1) / kPage * kPage;
}

constexpr std::size_t arrivals_bytes(int slots) noexcept {
    return sizeof(CommArrivals) + static_cast<std::size_t>(slots) * sizeof(Arrival);
}

/// Processes have other numbers in other containers.
std::uint64_t pid_space() noexcept {
    struct stat info {};
    return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

}  // namespace

struct alignas(64) Node::Header {
    std::atomic<std::uint32_t> comers;                         // to the first meeting so far [count]
    std::atomic<std::uint32_t> refused;                        // bits
    std::array<std::atomic<std::uint32_t>, kMeetings> come;    // to each meeting so far [count]
    std::array<std::atomic<std::uint32_t>, kMeetings> result;  // of each, the same for all: 0 open, kAll or kNotAll
    std::atomic<std::uint32_t> no_sleep;
    std::atomic<std::uint32_t> attaching;  // 1: a rank looks for a place for the arrivals at a communicator
};

std::uint64_t now_ns() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t Arrival::stamp_of(std::uint64_t call) const noexcept {
    // Acquire: partner of the store in come(). A stamp that is overwritten meanwhile belongs to a later call, which the
    // second look shows.
    if (calls.load(std::memory_order_acquire) < call) return 0;
    const std::uint64_t stamp = stamps[call % kKept].load(std::memory_order_acquire);
    return calls.load(std::memory_order_relaxed) + 1 < call + kKept ? stamp : 0;
}

void Arrival::come(std::uint64_t call, std::uint64_t stamp_ns) noexcept {
    stamps[call % kKept].store(stamp_ns, std::memory_order_relaxed);
    // Sequentially consistent: of two ranks that come at once one sees the other (partner: has_come()), and who is
    // about to sleep is seen by who comes (partner: the count of sleepers).
    calls.store(call, std::memory_order_seq_cst);
}

Node& node() noexcept {
    static constinit Node one;
    return one;
}

std::size_t Node::cores_bytes() const noexcept {
    return static_cast<std::size_t>(slots_) * kPage;
}

bool Node::join(std::uint32_t refuses) noexcept {
    until_ns_ = now_ns() + kMeeting_ns;
    why_not_ = share(refuses);
    if (!why_not_) return true;
    slots_ = 0;
    return false;
}

const char* Node::share(std::uint32_t refuses) noexcept {
    static_assert(sizeof(Header) == 64 && offsetof(Header, attaching) == 36, "raise kLayout");
    int rank = 0;
    const Start start = this_start();
    if (mpi().Comm_rank(mpi().world, &rank) != MPI_SUCCESS || mpi().Comm_size(mpi().world, &size_) != MPI_SUCCESS ||
        mpi().Comm_group(mpi().world, &world_) != MPI_SUCCESS)
        return "MPI does not tell who its ranks are";
    if (start.key == 0 || start.ranks < 1 || start.ranks > size_)
        return "the launcher does not tell which ranks are on this node";
    if (start.ranks > kMaxSlots) return "there are more than 1024 ranks on this node";
    slots_ = start.ranks;
    const std::size_t ranks_bytes = rounded(sizeof(Header) + static_cast<std::size_t>(slots_) * sizeof(RankSlot));
    const std::size_t bytes = ranks_bytes + cores_bytes() + kCommunicators * arrivals_bytes(slots_);
    const int file = shared_file(start, bytes, until_ns_);
    if (file < 0) return kLate;
    const bool mapped = map(file, bytes);
    close(file);
    if (!mapped) return "there is no memory that the ranks of the node could share";
    cores_ = base_ + ranks_bytes;
    arrivals_ = cores_ + cores_bytes();
    header_->refused.fetch_or(refuses);
    const std::uint32_t number = header_->comers.fetch_add(1);
    if (number >= static_cast<std::uint32_t>(slots_)) return "more ranks came than the launcher says are on this node";
    ranks_[number].comer.store(rank);
    if (!meet(kJoined) || !fill_slot(rank, size_) || !meet(kFilled)) return kLate;
    return see_each_other() ? nullptr : "the ranks of the node are in containers of their own";
}

/// In containers of their own ranks would take each other for dead, or for other processes.
bool Node::see_each_other() const noexcept {
    for (int slot = 0; slot < slots_; ++slot)
        if (ranks_[slot].pid_space != ranks_[slot_].pid_space) return false;
    return true;
}

/// Slots are in the order of the ranks.
bool Node::fill_slot(int rank, int size) noexcept {
    slot_of_rank_ = new (std::nothrow) std::int16_t[static_cast<std::size_t>(size)];
    if (!slot_of_rank_) return false;
    std::fill_n(slot_of_rank_, size, static_cast<std::int16_t>(-1));
    for (int i = 0; i < slots_; ++i) {
        const int comer = ranks_[i].comer.load();
        if (comer < 0 || comer >= size || slot_of_rank_[comer] >= 0) return false;
        slot_of_rank_[comer] = 0;
    }
    std::int16_t next = 0;
    for (int i = 0; i < size; ++i)
        if (slot_of_rank_[i] >= 0) slot_of_rank_[i] = next++;
    slot_ = slot_of_rank_[rank];
    ranks_[slot_].pid = getpid();
    ranks_[slot_].pid_space = pid_space();
    ranks_[slot_].world_rank = rank;
    return true;
}

bool Node::meet(Meeting meeting) noexcept {
    auto& result = header_->result[meeting];
    std::uint32_t open = 0;
    if (header_->come[meeting].fetch_add(1) + 1 == static_cast<std::uint32_t>(slots_))
        result.compare_exchange_strong(open, kAll);
    while (result.load() == 0) {
        const timespec pause{.tv_sec = 0, .tv_nsec = 50000};
        nanosleep(&pause, nullptr);
        if (now_ns() >= until_ns_) result.compare_exchange_strong(open, kNotAll);
        open = 0;
    }
    return result.load() == kAll;
}

std::uint32_t Node::refused() const noexcept {
    return header_->refused.load();
}

bool Node::map(int file, std::size_t bytes) noexcept {
    struct stat info {};
    // A file that is too short ends the process where it is read.
    if (fstat(file, &info) != 0 || static_cast<std::size_t>(info.st_size) < bytes) return false;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return false;
    base_ = static_cast<std::byte*>(memory);
    header_ = reinterpret_cast<Header*>(base_);
    ranks_ = reinterpret_cast<RankSlot*>(base_ + sizeof(Header));
    return true;
}

bool Node::slots_of(MPI_Group group, std::span<const int> ranks, std::span<int> slots) const noexcept {
    if (mpi().Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), world_, slots.data()) !=
        MPI_SUCCESS)
        return false;
    for (int& slot : slots) slot = slot >= 0 && slot < size_ ? slot_of_rank_[slot] : -1;
    return true;
}

CommArrivals& Node::arrivals(int number) noexcept {
    return *reinterpret_cast<CommArrivals*>(arrivals_ + static_cast<std::size_t>(number) * arrivals_bytes(slots_));
}

/// Of the rank that attaches.
CommArrivals* Node::find_or_claim(std::uint64_t id, std::uint32_t members) noexcept {
    CommArrivals* free = nullptr;
    for (int i = 0; i < kCommunicators; ++i) {
        CommArrivals& place = arrivals(i);
        // Acquire: partner of the release in release(), after which all counts are 0.
        const std::uint64_t found = place.id.load(std::memory_order_acquire);
        if (found == 0 && !free) free = &place;
        if (found != id) continue;
        // Those that held it may have given it up just now: then it is being cleared.
        std::uint32_t holders = place.holders.load(std::memory_order_relaxed);
        while (holders != 0 && !place.holders.compare_exchange_weak(holders, holders + 1, std::memory_order_acq_rel)) {
        }
        return holders != 0 && place.members.load(std::memory_order_relaxed) == members ? &place : nullptr;
    }
    if (!free) return nullptr;
    free->members.store(members, std::memory_order_relaxed);
    free->holders.store(1, std::memory_order_relaxed);
    free->id.store(id, std::memory_order_release);
    return free;
}

CommArrivals* Node::attach(std::uint64_t id, std::uint32_t members) noexcept {
    std::uint32_t nobody = 0;
    for (int tries = 0; !header_->attaching.compare_exchange_weak(nobody, 1, std::memory_order_acquire); ++tries) {
        if (tries == kTriesToAttach) return nullptr;
        nobody = 0;
    }
    CommArrivals* const found = find_or_claim(id, members);
    // Sequentially consistent: partner of Communicator::has_arrivals().
    if (found) found->attached.fetch_add(1, std::memory_order_seq_cst);
    header_->attaching.store(0, std::memory_order_release);
    return found;
}

void Node::release(CommArrivals& arrivals) noexcept {
    if (arrivals.holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    arrivals.attached.store(0, std::memory_order_relaxed);
    arrivals.ended.store(0, std::memory_order_relaxed);
    for (int slot = 0; slot < slots_; ++slot) {
        Arrival& arrival = arrivals.of(slot);
        arrival.calls.store(0, std::memory_order_relaxed);
        for (auto& stamp : arrival.stamps) stamp.store(0, std::memory_order_relaxed);
    }
    arrivals.id.store(0, std::memory_order_release);
}

void Node::forbid_sleep() noexcept {
    if (header_->no_sleep.exchange(1) == 0) wake_all();
}

bool Node::sleep_forbidden() const noexcept {
    return header_->no_sleep.load(std::memory_order_relaxed) != 0;
}

void Node::wake(int slot) noexcept {
    RankSlot& rank = ranks_[slot];
    // Sequentially consistent, after what the sleeper waits for was stored: it has either seen that or is counted.
    if (rank.sleepers.load(std::memory_order_seq_cst) == 0) return;
    rank.word.fetch_add(1, std::memory_order_seq_cst);
    syscall(SYS_futex, &rank.word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Node::wake_all() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (int slot = 0; slot < slots_; ++slot) wake(slot);
}

bool Node::is_alive(int slot) noexcept {
    if (ranks_[slot].left.load(std::memory_order_relaxed)) return false;
    std::array<char, 32> path{};
    std::snprintf(path.data(), path.size(), "/proc/%d/stat", ranks_[slot].pid);
    std::array<char, ProcessStat::kEnough> room;
    return !ProcessStat::read(path.data(), room).has_ended();
}

void Node::leave() noexcept {
    if (slots_ == 0 || ranks_[slot_].pid != getpid()) return;
    ranks_[slot_].left.store(1, std::memory_order_seq_cst);
    wake_all();
}

}  // namespace gimbal::waiting
