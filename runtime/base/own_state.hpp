// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include <cerrno>

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace gimbal {

/// While this lives nobody cancels the thread: what opens, reads or writes a file would unwind it, through functions
/// that throw nothing, though the program cancels it (pthread_cancel()) where it waits itself. @threads the one that
/// makes it  @cost 6 ns
class NotCancelled {
public:
    NotCancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &programs_); }
    ~NotCancelled() {
        if (programs_ != PTHREAD_CANCEL_DISABLE) pthread_setcancelstate(programs_, nullptr);
    }
    NotCancelled(const NotCancelled&) = delete;
    NotCancelled& operator=(const NotCancelled&) = delete;

private:
    int programs_ = PTHREAD_CANCEL_DISABLE;
};

/// While this lives floating-point exceptions end nobody: a program that wants to end where its own arithmetic divides
/// by zero (feenableexcept(), -ffpe-trap of gfortran) does not end by what is computed here, and finds the flags of its
/// own as they were (fetestexcept()). How it rounds, and what becomes of very small numbers, stays as it is.
class OwnTraps {
public:
    OwnTraps(const OwnTraps&) = delete;
    OwnTraps& operator=(const OwnTraps&) = delete;
#if defined(__x86_64__)
    OwnTraps() noexcept : programs_(_mm_getcsr()) {
        if ((programs_ & _MM_MASK_MASK) != _MM_MASK_MASK) _mm_setcsr(programs_ | _MM_MASK_MASK);
    }
    ~OwnTraps() {
        if (_mm_getcsr() != programs_) _mm_setcsr(programs_);
    }

private:
    unsigned programs_;
#else
    OwnTraps() noexcept {
        std::feholdexcept(&programs_);
    }
    ~OwnTraps() {
        std::fesetenv(&programs_);
    }

private:
    std::fenv_t programs_;
#endif
};

/// What is the program's in this thread, and looks the same afterwards: traps and flags, errno, cancellation.
///
/// For learning and planning, not for chunks: techniques that compute when a chunk is drawn keep to numbers for which
/// nothing is raised but inexact. What is computed must be in a function of another source file: compilers do not know
/// that an operation depends on this.
/// @threads the one that makes it  @cost 16 ns
/// @source test: tests/omp/run_own_state.py
class OwnState {
public:
    OwnState() noexcept : errno_(errno) {}
    ~OwnState() { errno = errno_; }
    OwnState(const OwnState&) = delete;
    OwnState& operator=(const OwnState&) = delete;

private:
    OwnTraps traps_;
    NotCancelled uncancelled_;
    int errno_;
};

}  // namespace gimbal
