// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gimbal/core_loan.h"

namespace gimbal::pin {

/// What became of a wish to change a thread's mask.
enum class Outcome : std::uint8_t {
    done,
    unchanged,  ///< it was so already
    outside,    ///< the mask is empty or not within the ceiling; nothing was done
    yielded,    ///< another party has set this thread's mask: it is no longer ours
    gone,       ///< the thread has ended
    refresh,    ///< what the process may use has changed: read the machine again, decide again
    refused     ///< not permitted
};
[[nodiscard]] std::string_view outcome_name(Outcome outcome) noexcept;

/// Whose a thread's mask is.
enum class Holder : std::uint8_t {
    ours,     ///< as we left it
    self,     ///< its own from before, which was put back: nobody wants it anywhere, place it again
    kernel,   ///< what the process may use has changed: read the machine again if not yet done, and place it again
    another,  ///< somebody else set it: yielded from now on
    gone,     ///< the thread has ended
    nobody    ///< not known here
};

/// The only place that changes masks of threads. Never gives a thread a PU outside of the ceiling; remembers what a
/// thread's mask was, and gives it back at the end; steps back when another party sets a thread's mask
/// to anything else.
///
///     take(tid)            remember its mask; say so if somebody has narrowed it already
///     place(tid, pus)      set it
///     release(tid)         give the thread its own mask back, keep knowing it
///     drop(tid)            the same, and forget it
///
/// The order of a tick: Machine::refresh(), set_ceiling(), then check() every thread, then place().
/// @threads one at a time: the owner locks  @cost one to three system calls per change, one per check
/// @source reference on placement, section 5; test: tests/unit/pinning/act/actuator_test.cpp
class Actuator {
public:
    /// @param ceiling  the processors this process inherited, ascending (Machine::allowed())
    /// @param pid      whose threads these are; 0: this process
    /// @param witness  a thread of that process that nobody pins (MachineOptions::witness); 0: the one that calls
    explicit Actuator(std::vector<int> ceiling, pid_t pid = 0, pid_t witness = 0);
    Actuator(const Actuator&) = delete;
    Actuator& operator=(const Actuator&) = delete;
    /// Gives every thread back what it had: restore_all().
    ~Actuator();

    /// Begins with a thread.
    /// @return done; yielded: its mask is narrower than the ceiling, so somebody wants it there; refresh: the same, but
    ///         the ceiling is no longer what the process may use, and nothing was done; gone or refused
    Outcome take(pid_t tid, bool even_if_narrowed = false);
    /// @param pus  ascending, not empty
    Outcome place(pid_t tid, std::span<const int> pus);
    Outcome release(pid_t tid);
    Outcome drop(pid_t tid);
    /// A thread that did not begin by pthread_create() may have inherited a mask that we gave to another one: then it
    /// gets the ceiling. Any other mask is somebody's wish.
    Outcome free_heir(pid_t tid);
    /// The program itself has set a thread's mask, perhaps to what we gave it: it is no longer ours.
    /// @return yielded; gone: not known here
    Outcome leave(pid_t tid);
    /// The thread has ended: only forgets it.
    void ended(pid_t tid) noexcept { threads_.erase(tid); }

    /// Looks whether a thread still has the mask that we gave it.
    Holder check(pid_t tid);
    /// The allowed processors have changed. Threads that are placed keep their masks until they are placed again or
    /// checked; those that have been released get what they had before of them.
    void set_ceiling(std::vector<int> ceiling);
    [[nodiscard]] const std::vector<int>& ceiling() const noexcept { return ceiling_; }

    /// Every thread that is still ours and alive gets its own mask back. Those yielded are left as they are.
    /// @return how many masks were set
    std::size_t restore_all() noexcept;

    /// What the calling thread's mask should be where it begins a life of its own (a child after fork, a program about
    /// to be started): the mask that `tid` had before we came. Empty: we never changed it.
    [[nodiscard]] std::vector<int> own_mask(pid_t tid) const;
    /// Whether that was all that the control group grants: then it is set as such (set_all_granted()).
    [[nodiscard]] bool had_all_granted(pid_t tid) const noexcept;
    /// The mask that we gave a thread. Empty: none, or it was given back.
    [[nodiscard]] std::vector<int> given_mask(pid_t tid) const;
    [[nodiscard]] bool is_yielded(pid_t tid) const noexcept;
    /// Whether somebody had narrowed a thread's mask before take(): who, nobody can tell.
    [[nodiscard]] bool was_narrowed(pid_t tid) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return threads_.size(); }

    /// What to tell the user, once each: the first yielded thread, the first refusal. Empties the list.
    [[nodiscard]] std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

private:
    struct Entry {
        std::vector<int> original;  ///< before we came
        std::vector<int> standing;  ///< what we set; empty: we have not, or have given it back
        bool given_back = false;    ///< we have set its own mask again
        bool yielded = false;
        bool narrowed = false;  ///< yielded at take()
        /// The ceiling has changed since it was set, and so many looks may still find a mask that the kernel changed:
        /// threads get theirs one after the other, and the witness before them.
        unsigned stale = 0;
    };

    [[nodiscard]] bool ceiling_is_old() const;
    Outcome give_back(pid_t tid, Entry& entry);
    [[nodiscard]] int set_original(pid_t tid, const Entry& entry) const;
    Outcome report(pid_t tid, int error);
    void yield(pid_t tid, Entry& entry, const std::vector<int>& found, std::string_view who);
    void warn_once(bool& told, std::string text);

    std::vector<int> ceiling_;
    std::vector<int> seen_;  ///< what the witness was allowed when the ceiling was set
    bool all_granted_;       ///< the ceiling is all that the control group grants
    pid_t pid_;
    pid_t witness_;
    std::map<pid_t, Entry> threads_;
    std::set<std::vector<int>> given_;  ///< all masks that we ever gave, the first 4096
    std::vector<std::string> warnings_;
    bool told_narrowed_ = false;
    bool told_yield_ = false;
    bool told_refused_ = false;
};

/// While it lives, no thread of this process is on a core that another one has lent to it (GIMBAL_LEND): masks are what
/// we or others have set. Masks of placed threads are read and set only within it.
/// @threads any  @cost as gimbal_loans_pause()
class LoansPaused {
public:
    LoansPaused() noexcept : quiet_(gimbal_loans_pause() != 0) {}
    ~LoansPaused() { gimbal_loans_resume(); }
    LoansPaused(const LoansPaused&) = delete;
    LoansPaused& operator=(const LoansPaused&) = delete;

    /// False: a loan is still on its way, so masks may be between two states. Nothing can be concluded from them.
    [[nodiscard]] bool quiet() const noexcept { return quiet_; }

private:
    bool quiet_;
};

}  // namespace gimbal::pin
