// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "lending/thread_core.hpp"

namespace gimbal {

/// A core that another rank lends, while a surplus worker is on it.
struct BorrowedCore {
    std::uint32_t lender = 0;  ///< the rank's slot
    std::uint32_t term = 0;    ///< by which of its offers; 0: no core
    explicit operator bool() const noexcept { return term != 0; }
};

/// The cores of a node's ranks: who offers some, who waits for some. In memory that the ranks share, so nothing here
/// points anywhere; what a dead rank leaves behind holds nobody up.
///
/// An offer is a term, odd while it stands, and how many of its cores are free. Taking back ends the term, which
/// borrowers see at their next look. A worker that wants a core sleeps on its own rank's bell, which is rung by any
/// rank that offers a core, and by its own rank when its loop has run out.
/// @threads any, after attach()
/// @source test: tests/unit/lending/node_cores_test.cpp
class NodeCores {
public:
    /// Show the other ranks of the node where this one may run. What they show before attach() is what that goes by.
    /// @threads the main thread
    static void show(void* memory, std::size_t bytes, int slot, int slots) noexcept;
    /// Ranks that may all run on the same processors get cores of their own, if there are enough, all have shown where
    /// they may run, and others may run on none of these: a rank that wakes is to find its core free at once. Its main
    /// thread is bound, and who is started by it.
    /// @param memory  `slots` x kSlotBytes, zero at first  @param cores  of this rank [count]
    /// @return whether it could be done  @threads the main thread
    bool attach(void* memory, std::size_t bytes, int slot, int slots, std::uint32_t cores) noexcept;
    /// The main thread, those that were started since, and threads that ran on other ranks' cores, may run again where
    /// the main thread might before. Whom the program has bound stays there.
    /// @threads the main thread, while no thread borrows  @cost a system call or two for each thread of the process
    void detach() noexcept;
    /// A child after fork is no rank, and may run where the main thread might before. @threads the only one
    void forget_in_child() noexcept;
    /// The calling thread starts a program, which is no part of the rank: it has the main thread's mask from before
    /// meanwhile, unless the program has bound it.
    /// @return whether its mask was changed: it owes a step_in()  @threads any, also in a child: takes no lock
    [[nodiscard]] bool step_out() noexcept;
    void step_in() noexcept;
    /// The program has set the mask of a thread. One that has ended since may be taken for another.
    void note_set(pid_t thread) noexcept;
    /// Cores of other ranks that may come on top of this one's [count]; 0: not attached, or the node has not enough for
    /// the threads of all. @threads any
    /// @cost a load; a look at every rank's slot until all ranks have attached
    [[nodiscard]] std::uint32_t for_others() const noexcept;
    [[nodiscard]] bool attached() const noexcept { return own_.load(std::memory_order_acquire) != nullptr; }

    /// This rank has work for others' cores, from now on. @threads any  @cost one load after the first time
    void want() noexcept;
    /// Whether others have, or need this rank's cores for their own threads. @threads any  @cost a load for each rank
    [[nodiscard]] bool wanted_by_others() const noexcept;

    /// A thread of this rank waits: `cores` more of them are offered. @cost a look at every rank's slot
    void lend(std::uint32_t cores) noexcept;
    /// It goes on. Borrowers of other threads' cores may be sent away, too: they come back.
    void take_back(std::uint32_t cores) noexcept;

    /// The calling thread runs on the cores of other ranks from now on: woken by a lender, it is there when that one
    /// sleeps, and it never waits behind its own rank's threads. @cost one load after the first time
    void roam() noexcept;
    /// Threads that roam are to run on this rank's cores from now on, and leave them when they roam again.
    /// @threads any, while no thread borrows  @cost one load if none roams, else three system calls for each
    void bring_home() noexcept;
    /// A core that another rank offers; none: nobody does. @cost a look at every rank's slot
    [[nodiscard]] BorrowedCore borrow() noexcept;
    /// Whether its owner wants it back. @cost one load
    [[nodiscard]] bool wanted(BorrowedCore core) const noexcept;
    /// There is nothing left to do for it. @cost as lend()
    void give_back(BorrowedCore core) noexcept;

    /// Sleep until a core may be had, or `word` has become `stop` and ring() was called, or for a tenth of a second.
    /// @return false: nobody rang
    bool sleep(const std::atomic<std::uint32_t>& word, std::uint32_t stop) noexcept;
    /// Wake this rank's workers that sleep: the word of some of them has changed. @cost one load if there are none
    void ring() noexcept;

    /// How long others have been offering cores, of the time since `begin`, and still are [ticks].
    /// @return the sum over their ranks, each at most once
    [[nodiscard]] std::uint64_t offered_since(std::uint64_t begin) const noexcept;

    static constexpr std::size_t kSlotBytes = 4096;

private:
    /// What a rank shows to the others.
    struct Slot {
        alignas(128) std::atomic<std::uint64_t> offer{0};  // term << 32 | free cores; an odd term stands
        std::atomic<std::uint64_t> since{0};               // it was made [ticks]
        alignas(128) std::atomic<std::uint32_t> bell{0};   // a futex
        std::atomic<std::uint32_t> sleepers{0};            // workers that want a core [count]
        alignas(128) std::atomic<std::uint32_t> bound{0};  // 1: the mask is there
        std::atomic<std::uint32_t> wants{0};               // 1: it has work for others' cores
        std::atomic<std::uint32_t> shown{0};               // 1: `inherited` is there
        CoreMask mask;                                     // where the rank's own threads run
        CoreMask inherited;                                // where they might before
    };
    static_assert(sizeof(Slot) <= kSlotBytes);

    [[nodiscard]] static Slot& slot_in(void* memory, std::uint32_t number) noexcept;
    [[nodiscard]] Slot& slot(std::uint32_t number) const noexcept;
    [[nodiscard]] CoreMask own_part() const noexcept;
    void bind(Slot& own) noexcept;
    [[nodiscard]] std::size_t processors() const noexcept;
    [[nodiscard]] bool crowded() const noexcept { return processors() < std::size_t{slots_} * cores_; }
    void bring_home(const CoreMask& home) noexcept;
    void free_threads(const CoreMask& bound) const noexcept;
    void find_what_gives_back() noexcept;
    void note_bound_before(const CoreMask& bound) noexcept;
    void note(pid_t thread, bool is_set) noexcept;
    [[nodiscard]] bool is_set_by_program(pid_t thread) const noexcept;
    [[nodiscard]] CoreMask cores_of_others() const noexcept;
    void wake_others(std::uint32_t cores) noexcept;

    std::byte* memory_ = nullptr;
    std::uint32_t number_ = 0;
    std::uint32_t slots_ = 0;
    std::uint32_t cores_ = 0;                         // of this rank
    pid_t pid_ = 0;                                   // not a child's that shares or has copied this
    CoreMask inherited_;                              // the main thread's own mask
    mutable std::atomic<std::size_t> processors_{0};  // that the node's ranks have; 0: not all have attached
    CoreMask own_again_;               // what gives it back: all processors, if the control group grants no more
    std::atomic<Slot*> own_{nullptr};  // nullptr: not attached
    std::mutex mutex_;                 // guards what follows, and writing the own offer's term
    std::uint32_t lent_ = 0;           // cores that this rank offers, free or not
    static constexpr std::size_t kMaxRoamers = 1024;
    std::array<pid_t, kMaxRoamers> roamers_{};  // threads on other ranks' cores
    std::atomic<std::size_t> roaming_{0};       // how many of them there are
    std::atomic<std::uint32_t> outing_{1};      // counts up when all are brought home
    static constexpr std::size_t kMaxSet = 256;
    std::array<std::atomic<pid_t>, kMaxSet> set_{};  // threads that the program has bound to the rank's own cores; 0
};

/// That of this process.
[[nodiscard]] NodeCores& node_cores() noexcept;

}  // namespace gimbal
