// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gimbal::waiting {

/// CLOCK_MONOTONIC, the same for all processes of a node [ns].
std::uint64_t now_ns() noexcept;

/// Of what the ranks of a node share: RankSlot, Arrival, CommArrivals, Node's header and their order. To be raised with
/// every change there, so that ranks with libraries of two builds do not find each other. Where an assertion about a
/// size fails: raise it, then put down the new size. None sees what is put into the gap at the end of a structure.
inline constexpr std::uint64_t kLayout = 1;

/// What a rank of the node shows to the others, and the futex by which they wake it up.
struct alignas(64) RankSlot {
    std::atomic<std::uint32_t> word;      ///< the futex: changes when it is to look again
    std::atomic<std::uint32_t> sleepers;  ///< its threads that sleep, or are about to [count]
    std::atomic<std::uint32_t> left;      ///< 1: it waits for nobody, and nobody must wait for it
    std::atomic<std::uint32_t> inside;    ///< its threads that are in calls that may wait, while ranks sleep [count]
    std::atomic<std::uint64_t> entered;   ///< such calls so far [count]
    std::atomic<std::uint64_t> polls;     ///< calls that only look so far, while ranks sleep [count]
    std::uint64_t pid_space;              ///< where `pid` holds; 0: not known
    std::int32_t pid;
    std::int32_t world_rank;
    std::atomic<std::int32_t> comer;  ///< world rank of the one that came to the meeting as the slot's number says
};
static_assert(sizeof(RankSlot) == 64 && offsetof(RankSlot, comer) == 48, "raise kLayout");

/// One rank's arrivals at the collectives of one communicator: its own cache line, written by that rank alone.
struct alignas(64) Arrival {
    static constexpr std::size_t kKept = 7;  ///< stamps of the latest calls

    std::atomic<std::uint64_t> calls;                      ///< number of the latest call, from 1
    std::array<std::atomic<std::uint64_t>, kKept> stamps;  ///< of call k at k % kKept [ns]

    /// @return when the rank came to call k [ns]; 0: it has not, or so long ago that nobody knows
    [[nodiscard]] std::uint64_t stamp_of(std::uint64_t call) const noexcept;
    /// The rank comes to call k.
    void come(std::uint64_t call, std::uint64_t stamp_ns) noexcept;
};
static_assert(sizeof(Arrival) == 64 && offsetof(Arrival, stamps) == 8, "raise kLayout");

/// A communicator as the ranks of the node share it. Followed by one Arrival for every slot of the node.
struct alignas(64) CommArrivals {
    std::atomic<std::uint64_t> id;        ///< of the communicator; 0: free
    std::atomic<std::uint32_t> members;   ///< on this node [count]
    std::atomic<std::uint32_t> attached;  ///< of these: have found this place [count]
    std::atomic<std::uint32_t> holders;   ///< of these: have not freed the communicator [count]
    std::atomic<std::uint32_t> ended;     ///< 1: a call has failed somewhere, and the numbers of calls differ since

    [[nodiscard]] Arrival& of(int slot) noexcept { return reinterpret_cast<Arrival*>(this + 1)[slot]; }
};
static_assert(sizeof(CommArrivals) == 64 && offsetof(CommArrivals, ended) == 20, "raise kLayout");

/// The ranks of MPI_COMM_WORLD that share a node, and the memory that they share. Ranks have slots, in the order of
/// their ranks. One object per process; never unmapped, since others may still look at it when this rank has ended.
class Node {
public:
    static constexpr int kMaxSlots = 1024;

    /// Make or join the memory. Every rank of the node should, and no call of MPI makes it wait for one that does not.
    /// @param refuses  what this rank is not for, in bits; refused() has those of all  @threads one
    /// @return false, on all ranks of the node alike: there is no shared memory, or not all have come in time; slots()
    /// is 0
    bool join(std::uint32_t refuses) noexcept;
    [[nodiscard]] std::uint32_t refused() const noexcept;
    /// Why ranks of this node share nothing, for a message; where join() or meet_again() has returned false.
    [[nodiscard]] const char* why_not() const noexcept { return why_not_; }
    /// All have done what comes after join(). @return as join()
    bool meet_again() noexcept {
        why_not_ = kLate;
        return meet(kBegun);
    }

    [[nodiscard]] int slots() const noexcept { return slots_; }
    [[nodiscard]] int slot() const noexcept { return slot_; }
    [[nodiscard]] RankSlot& rank(int slot) noexcept { return ranks_[slot]; }

    /// Slots of ranks. @param ranks  of the group  @param slots  out, [ranks]: < 0 for those on other nodes
    /// @return false: MPI could not say
    bool slots_of(MPI_Group group, std::span<const int> ranks, std::span<int> slots) const noexcept;

    /// Memory of one page per slot for the core (gimbal/rank_cores.h).
    [[nodiscard]] void* cores_memory() noexcept { return cores_; }
    [[nodiscard]] std::size_t cores_bytes() const noexcept;

    /// The place for the arrivals at a communicator. Each of its members attaches itself; no order, and nobody waits.
    /// @return nullptr: all places are in use, or another rank was at it for too long; may be tried again
    /// @threads any  @cost a look at 128 cache lines
    CommArrivals* attach(std::uint64_t id, std::uint32_t members) noexcept;
    /// This rank has freed the communicator.
    void release(CommArrivals& arrivals) noexcept;

    /// Somebody uses one-sided calls, which need the progress of ranks that would sleep: from now on nobody does.
    void forbid_sleep() noexcept;
    [[nodiscard]] bool sleep_forbidden() const noexcept;

    /// Wake a rank up if it sleeps. The caller has made visible what it is woken up for.
    void wake(int slot) noexcept;
    void wake_all() noexcept;
    /// Whether the process of a slot is still there, as far as can be seen. @cost a file is read
    [[nodiscard]] bool is_alive(int slot) noexcept;
    /// This rank will wait for nobody any more, nor be waited for.
    void leave() noexcept;

private:
    struct Header;
    static constexpr const char* kLate = "not all ranks of the node came within 3 s of MPI_Init, with the same Gimbal";
    enum Meeting : std::uint8_t { kJoined, kFilled, kBegun, kMeetings };

    [[nodiscard]] CommArrivals& arrivals(int number) noexcept;
    [[nodiscard]] CommArrivals* find_or_claim(std::uint64_t id, std::uint32_t members) noexcept;
    /// @return why not; nullptr: they share memory
    [[nodiscard]] const char* share(std::uint32_t refuses) noexcept;
    bool fill_slot(int rank, int size) noexcept;
    [[nodiscard]] bool see_each_other() const noexcept;
    bool meet(Meeting meeting) noexcept;
    bool map(int file, std::size_t bytes) noexcept;

    const char* why_not_ = kLate;
    MPI_Group world_{};
    std::int16_t* slot_of_rank_ = nullptr;  // [world's size] < 0: on another node
    int size_ = 0;                          // of the world
    std::uint64_t until_ns_ = 0;            // others are waited for
    int slots_ = 0;
    int slot_ = 0;
    std::byte* base_ = nullptr;
    Header* header_ = nullptr;
    RankSlot* ranks_ = nullptr;
    std::byte* cores_ = nullptr;
    std::byte* arrivals_ = nullptr;
};

/// The node of this process.
Node& node() noexcept;

}  // namespace gimbal::waiting
