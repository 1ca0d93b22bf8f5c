// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "call_path.hpp"
#include "calls.hpp"
#include "communicator.hpp"

namespace gimbal::waiting {

/// An argument as it is passed: handles, numbers and addresses all take a word.
using Word = std::intptr_t;
static_assert(sizeof(Word) == 8 && sizeof(MPI_Aint) == 8, "arguments are passed in words of 8 bytes");

/// In which language a call was made.
enum class Language : std::uint8_t { c, fortran };

/// What this process does around calls.
struct Mode {
    std::atomic<bool> measures{false};
    std::atomic<bool> elastic{false};                   ///< ranks sleep
    std::atomic<bool> yields{false};                    ///< ranks that wait leave their core to others of the node
    std::atomic<bool> traced{false};                    ///< calls stand in a trace
    std::atomic<std::uint64_t> begin_ns{0}, end_ns{0};  ///< of the time between MPI_Init and MPI_Finalize; 0: not yet
};
extern Mode g_mode;

/// The call that a thread is in. Calls of MPI inside MPI, and this library's own, are not the program's.
struct Current {
    const void* frame;   ///< of its wrapper; nullptr: it is in none
    const void* caller;  ///< where it returns to; nullptr: not known
    bool shown;          ///< to the other ranks of the node
    bool traced;         ///< its end is still to stand in the trace
    Communicator* comm;  ///< of a collective call
};
extern constinit __attribute__((tls_model("initial-exec"))) thread_local Current t_current;

/// The program has left the call of this thread by a longjmp out of a handler of errors, or by an exception.
void forget_current() noexcept;

/// Whether a call is made inside another one. @param frame  of its wrapper  @cost two loads
inline bool is_inside(const void* frame) noexcept {
    if (!t_current.frame) return false;
    // Stacks grow downwards: a call that is not below the other one finds that gone. Of one on another stack (a
    // coroutine's) it may be wrong, which costs figures alone.
    if (frame < t_current.frame) return true;
    forget_current();
    return false;
}

/// The same where it seems to be, for a call by the program: the stack is read.
inline bool is_inside_indeed() noexcept {
    if (!t_current.caller || is_on_stack(t_current.caller, t_current.frame)) return true;
    forget_current();
    return false;
}

/// A call that is not looked at, with those inside it.
class Inside {
public:
    explicit Inside(const void* frame) noexcept {
        t_current.frame = frame;
        t_current.caller = nullptr;
    }
    ~Inside() { t_current.frame = nullptr; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

/// One call of the program that is being looked at: before() may wait until it can go on, after() takes what it showed
/// into the sums. The call itself, in between, is the program's own.
/// @cost together 0.2 us where nobody sleeps, with two readings of the clock
class WrappedCall {
public:
    /// @param words  the arguments; Fortran passes addresses, and handles as its integers
    WrappedCall(CallId id, Language language, const Word* words, const void* caller, const void* frame) noexcept;
    ~WrappedCall() {
        if (state_ == State::ended) t_current.frame = nullptr;
        if (state_ == State::begun) forget_current();
    }
    WrappedCall(const WrappedCall&) = delete;
    WrappedCall& operator=(const WrappedCall&) = delete;

    void before() noexcept;
    void after() noexcept;
    /// Instead of both: it is made inside another one by the program itself, in a handler of errors. It counts among
    /// the collective calls, and wakes others up.
    void before_inside() noexcept;
    void after_inside() noexcept;

    /// Whether a blocking message goes to and comes from ranks that are there, with a count and a tag that may be, and
    /// whose rank can be woken up. What is wrong is for the program's own call to say; and for a message from
    /// MPI_PROC_NULL not all MPIs fill the status in when it is received in two steps.
    [[nodiscard]] bool can_take_two_steps() const noexcept;

    /// Sleep for requests that this call has made. @param requests  [count], as the language has them
    void sleep_for(const void* requests, int count) noexcept;
    /// Let the partner of a message look for it, if it sleeps. @param argument  number of its rank
    void wake_partner(int argument) noexcept;
    /// The message that it has sent or received in two steps failed, in silence (QuietErrors): the handler of errors of
    /// its communicator hears of it. @return the code  @errors what that throws
    [[nodiscard]] int failed(int code) const;
    /// It is a collective call and has failed. Before after().
    void note_failure() const noexcept;
    /// The call has made a communicator, after after(). @param success  it says so
    void note_creation(bool success) const noexcept;

private:
    // What has begun and not ended is left by an exception.
    enum class State : std::uint8_t { made, begun, ended };

    [[nodiscard]] int number_at(int argument) const noexcept;
    [[nodiscard]] MPI_Comm comm_at(int argument) const noexcept;
    [[nodiscard]] bool is_message_from(int rank, int tag) const noexcept;
    /// Of the root of a collective call; < 0: it has none, or it is on another node.
    [[nodiscard]] int root_slot() const noexcept;
    void before_elastic() noexcept;
    void yield_if_crowded() const noexcept;
    void before_collective() noexcept;
    void before_wait() noexcept;
    void take_sums(const Visit& visit, std::uint64_t waiting_ns) const noexcept;
    void look_at_arrivals(Visit& visit) const noexcept;

    const Call& row_;
    CallId id_;
    Language language_;
    const Word* words_;
    const void* caller_;
    const void* frame_;
    Communicator* comm_ = nullptr;
    std::uint64_t number_ = 0;  // of the collective call on its communicator
    std::uint64_t begin_ns_ = 0;
    std::uint64_t asleep_ns_ = 0;
    State state_ = State::made;
};

/// Whether a call is looked at at all. @cost two loads
inline bool is_looked_at(Kind kind) noexcept {
    // Relaxed: set in MPI_Init, before any call that it is about.
    if (g_mode.elastic.load(std::memory_order_relaxed)) return true;
    return may_wait(kind) && g_mode.measures.load(std::memory_order_relaxed);
}

/// MPI_Init has returned; MPI_Finalize is about to be called. @threads one
void begin(const void* caller) noexcept;
void end() noexcept;

}  // namespace gimbal::waiting
