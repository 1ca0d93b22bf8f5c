// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one iteration of a measured loop does. The same function is called by the parallel loop and by the serial
// reference, through the same pointer, so that their times differ by the schedule only.
#pragma once
#include <stdint.h>

struct kernel {
    const char* name;
    long iterations;  // N of one loop, unless the caller wants another
    int drifts;       // the work and the result of an execution depend on the step

    /// Makes the data for n iterations, n >= 1. Returns 0, or -1 when there is no memory.
    int (*prepare)(long n);
    /// Called before every execution, outside the timed part. step: number of the execution, negative in warm-ups.
    void (*begin)(long step);
    /// The body. Thread-safe; the result depends on i (and, if the kernel drifts, on the step) only.
    uint64_t (*iteration)(long i);
};

extern const struct kernel kUniform, kTriangular, kDecreasing;  // synthetic.c
extern const struct kernel kMandelbrot, kDrift;                 // mandelbrot.c
extern const struct kernel kNbody;                              // nbody.c
extern const struct kernel kStencil;                            // stencil.c

/// A number in which both the result and the iteration leave their mark: the sum of these over a loop shows a lost or
/// doubled iteration, and does not depend on the order.
static inline uint64_t mark(uint64_t result, long i) {
    uint64_t x = result ^ ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 29);
}

/// A number in [0, 2^64) for (a, b), the same in every run: kernels draw their randomness from it.
static inline uint64_t draw(uint64_t a, uint64_t b) {
    return mark(mark(a, (long)b), (long)a);
}
