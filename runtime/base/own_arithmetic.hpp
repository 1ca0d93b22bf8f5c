// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace gimbal {

/// While this lives the thread's arithmetic is Gimbal's: a program that wants to end where its own divides by zero
/// (feenableexcept(), -ffpe-trap of gfortran) does not end by what is computed here, and finds the flags of its own as
/// they were (fetestexcept()).
///
/// For learning and planning, not for chunks: techniques that compute when a chunk is drawn keep to numbers for which
/// nothing is raised but inexact. What is computed must be in a function of another source file: compilers do not know
/// that an operation depends on this.
/// @threads the one that makes it  @cost 11 ns
/// @source test: tests/omp/run_arithmetic.py
class OwnArithmetic {
public:
    OwnArithmetic(const OwnArithmetic&) = delete;
    OwnArithmetic& operator=(const OwnArithmetic&) = delete;
#if defined(__x86_64__)
    OwnArithmetic() noexcept : programs_(_mm_getcsr()) {
        if ((programs_ & _MM_MASK_MASK) != _MM_MASK_MASK) _mm_setcsr(programs_ | _MM_MASK_MASK);
    }
    ~OwnArithmetic() {
        if (_mm_getcsr() != programs_) _mm_setcsr(programs_);
    }

private:
    unsigned programs_;
#else
    OwnArithmetic() noexcept {
        std::feholdexcept(&programs_);
    }
    ~OwnArithmetic() {
        std::fesetenv(&programs_);
    }

private:
    std::fenv_t programs_;
#endif
};

}  // namespace gimbal
