// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of pure arithmetic: the cost of iteration i is a chain of multiplications of a length given by a formula.
#include "kernel.h"

enum {
    kUniformIterations = 100000,  // some 70 ns each: at a chunk of one iteration the dispatch shows
    kUniformSteps = 120,
    kSlopeIterations = 8000,
    kSlopeSteps = 2600,  // of the dearest iteration
};

static long iterations;

static int prepare(long n) {
    iterations = n;
    return 0;
}

static void begin(long step) {
    (void)step;
}

// Each multiplication waits for the one before, so that neither compiler can make it faster than the other.
static uint64_t chain(long steps, long i) {
    uint64_t x = (uint64_t)i;
    for (long k = 0; k < steps; ++k) {
        x = x * 6364136223846793005u + 1;
        __asm__ volatile("" : "+r"(x));
    }
    return mark(x, i);
}

static uint64_t uniform(long i) {
    return chain(kUniformSteps, i);
}

static uint64_t triangular(long i) {
    return chain((i + 1) * kSlopeSteps / iterations, i);
}

static uint64_t decreasing(long i) {
    return chain((iterations - i) * kSlopeSteps / iterations, i);
}

const struct kernel kUniform = {"uniform", kUniformIterations, 0, prepare, begin, uniform};
const struct kernel kTriangular = {"triangular", kSlopeIterations, 0, prepare, begin, triangular};
const struct kernel kDecreasing = {"decreasing", kSlopeIterations, 0, prepare, begin, decreasing};
