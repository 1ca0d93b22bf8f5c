// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "manager/thread_record.hpp"

namespace gimbal::pin {

/// The threads of this process that something of ours has run in. Threads add and remove themselves; the manager looks.
/// While the lock is held no thread of it can end, so its number cannot have gone to another.
/// @threads any
class Registry {
public:
    /// The calling thread begins.
    /// @param counts_inside  it starts a counter of its own (Backend::papi_inside)  @param routine  where it begins
    /// @errors std::bad_alloc
    RecordPointer add_self(bool is_main, bool counts_inside = false, const void* routine = nullptr);
    /// It ends. @threads the one that began  @errors none
    void end(ThreadRecord& record) noexcept;
    /// The calling thread starts a counter of its own. @pre the manager does not run yet, or the thread is just
    /// beginning
    static void start_inside(ThreadRecord& record);
    /// Those who are new since the last call, and leaves none that has ended. @errors std::bad_alloc
    void collect(std::vector<RecordPointer>& fresh);

    /// How many threads are known and have not ended. @cost one load
    [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
    /// Leaves those that nothing of ours has run in: threads that are ending, and have left this list before the kernel
    /// takes them from its own, go, too. @param tids  those that the kernel lists, in any order
    void remove_known(std::vector<pid_t>& tids);

    /// A thread is about to be made, that adds itself. @return how many were made so far, this one included
    /// @threads its maker  @cost one atomic add
    std::uint64_t expect() noexcept { return made_.fetch_add(1) + 1; }
    /// It has added itself, or there will be none.
    void arrived() noexcept { arrived_.fetch_add(1); }
    /// How many were made so far; nothing: one of them is still to add itself. Who gets the same number before and
    /// after a look at the kernel's list has seen no thread that was just beginning.
    [[nodiscard]] std::optional<std::uint64_t> all_arrived() const noexcept {
        const std::uint64_t arrived = arrived_.load();  // first: it is never more than those made
        return made_.load() == arrived ? std::optional(arrived) : std::nullopt;
    }

    /// The program has set the mask of a thread of its own, known here or not: the thread is the program's from now on,
    /// until it sets it back to what that was before the first time, or before the thread was placed.
    /// @pre the lock is held  @param before, now  the thread's mask  @errors std::bad_alloc
    void note_set(pid_t tid, std::vector<int> before, const std::vector<int>& now);
    /// Whether it has, and not back. @pre the lock is held
    [[nodiscard]] bool is_set_by_program(pid_t tid) const noexcept { return set_by_program_.contains(tid); }
    /// What the program did so far is not to count. @pre the lock is held
    void forget_set(pid_t tid) noexcept { set_by_program_.erase(tid); }
    /// What it did before so many threads were made (expect()) was done to another thread of that number. @pre the lock
    /// is held
    void forget_set_before(pid_t tid, std::uint64_t made) noexcept;

    [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
    /// Its lock, or not after so many tries a millisecond apart: for who cannot know that its holder lives. Not a timed
    /// lock, which thread sanitizers up to GCC 12's do not see.
    [[nodiscard]] std::unique_lock<std::mutex> lock_within(int milliseconds) noexcept;

private:
    struct Known {
        ThreadRecord* record = nullptr;
        std::uint64_t ended = 0;  ///< its number among those that have ended, from 1; 0: it has not
    };
    struct SetMask {
        std::vector<int> before;
        std::uint64_t made = 0;  ///< threads so far when it was set last
    };
    void note_ending(pid_t tid) noexcept;

    std::mutex mutex_;
    std::vector<RecordPointer> fresh_;
    std::map<pid_t, Known> tids_;
    std::map<pid_t, Known> ending_;            ///< were in tids_, and may still be in the kernel's list
    std::uint64_t ended_ = 0;                  ///< of tids_, so far
    std::map<pid_t, SetMask> set_by_program_;  ///< also of threads that are just beginning
    std::atomic<std::uint64_t> made_ = 0;
    std::atomic<std::uint64_t> arrived_ = 0;
    std::atomic<std::size_t> size_ = 0;
    std::uint64_t next_ = 1;
};

}  // namespace gimbal::pin
