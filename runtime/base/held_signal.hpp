// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <optional>

namespace gimbal {

/// Holds back one signal of this thread, and takes what writing raises of it: inside a stranger's program a closed pipe
/// (SIGPIPE) or a limit on file sizes (SIGXFSZ) must not terminate it. What errno says of that writing stays.
class HeldSignal {
public:
    explicit HeldSignal(int signal) noexcept {
        sigemptyset(&set_);
        sigaddset(&set_, signal);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, signal) == 1;
        pthread_sigmask(SIG_BLOCK, &set_, &old_);
    }
    ~HeldSignal() {
        const int reason = errno;
        const timespec now = {0, 0};
        if (!was_pending_)
            while (sigtimedwait(&set_, nullptr, &now) > 0) {
            }
        pthread_sigmask(SIG_SETMASK, &old_, nullptr);
        errno = reason;
    }
    HeldSignal(const HeldSignal&) = delete;
    HeldSignal& operator=(const HeldSignal&) = delete;

private:
    sigset_t set_{}, old_{};
    bool was_pending_ = false;
};

namespace detail {
/// Whether this thread holds back signals already: then one more who wants it makes no system calls.
inline constinit thread_local bool signals_held [[gnu::tls_model("initial-exec")]] = false;
/// And which it held back before, of its own: a bit for each.
inline constinit thread_local std::uint64_t signals_before [[gnu::tls_model("initial-exec")]] = 0;
}  // namespace detail

/// Holds back all signals of this thread that others send; what the thread does wrong itself is not held. A handler
/// that ends the process must not find the C library's heap, or the loader, in the middle of a change: nobody could use
/// them any more, exit() itself included.
class HeldSignals {
public:
    HeldSignals() noexcept : outermost_(!detail::signals_held) {
        if (!outermost_) return;
        change(SIG_BLOCK, sent(), &old_);
        detail::signals_before = old_;
        detail::signals_held = true;
    }
    ~HeldSignals() {
        if (!outermost_) return;
        detail::signals_held = false;
        change(SIG_SETMASK, old_, nullptr);
    }
    /// The mask of this thread, without what is held back here. @threads any  @cost a system call
    [[nodiscard]] static sigset_t of_program() noexcept {
        sigset_t mask;
        pthread_sigmask(SIG_BLOCK, nullptr, &mask);
        for (int signal = 1; detail::signals_held && signal <= 64; ++signal) {
            if ((detail::signals_before >> (signal - 1) & 1U) == 0) sigdelset(&mask, signal);
        }
        return mask;
    }

    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

private:
    using Set = std::uint64_t;  // as the kernel has it: without glibc's checks, which cost more than the call

    static Set sent() noexcept {
        Set set = ~Set{0};
        for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) set &= ~(Set{1} << (own - 1));
        return set;
    }
    static void change(int how, Set set, Set* old) noexcept { syscall(SYS_rt_sigprocmask, how, &set, old, sizeof set); }

    bool outermost_;
    Set old_ = 0;
};

/// While a loop executes for the first few times: what is allocated then is hardly ever given back, and may come from
/// memory that is quicker to be had (early_memory). Where the heap is needed all the same, signals are held back from
/// then on, at the cost of two system calls for all that is allocated while this lives.
class EarlyAllocations {
public:
    EarlyAllocations() noexcept : outer_(current_) { current_ = this; }
    ~EarlyAllocations() { current_ = outer_; }
    EarlyAllocations(const EarlyAllocations&) = delete;
    EarlyAllocations& operator=(const EarlyAllocations&) = delete;

    /// Of this thread; nullptr: there is none.
    [[nodiscard]] static EarlyAllocations* innermost() noexcept { return current_; }
    void hold_signals() noexcept {
        if (!held_) held_.emplace();
    }

private:
    static inline constinit thread_local EarlyAllocations* current_ [[gnu::tls_model("initial-exec")]] = nullptr;
    EarlyAllocations* outer_;
    std::optional<HeldSignals> held_;
};

}  // namespace gimbal
