// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A regular mesh, one row per iteration: five-point stencil, then some relaxation along the row. On top of that comes
// noise: in every execution kNoisyParts of the kParts parts of the mesh, others each time, take kNoiseFactor times as
// long. Their number is fixed, so that all executions have the same work; where they lie cannot be learnt.
// The result goes into the other field and the input stays, so that every execution gives the same.
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum {
    kIterations = 4096,
    kWidth = 64,
    kPasses = 8,
    kParts = 32,
    kNoisyParts = 4,
    kNoiseFactor = 5,
};

static float (*from)[kWidth];
static float (*into)[kWidth];
static long rows;
static unsigned char noisy[kParts];

static int prepare(long n) {
    rows = n;
    from = malloc((size_t)(n + 2) * sizeof *from);  // one more row at either end
    into = malloc((size_t)(n + 2) * sizeof *into);
    if (from == NULL || into == NULL) {
        return -1;
    }
    memset(into, 0, (size_t)(n + 2) * sizeof *into);
    for (long i = 0; i < n + 2; ++i) {
        for (long j = 0; j < kWidth; ++j) {
            from[i][j] = (float)(draw((uint64_t)i, (uint64_t)j) >> 40) * 0x1p-24f;
        }
    }
    return 0;
}

static void begin(long step) {
    memset(noisy, 0, sizeof noisy);
    uint64_t tries = 0;
    for (int chosen = 0; chosen < kNoisyParts;) {
        const uint64_t part = draw((uint64_t)step, tries++) % kParts;
        chosen += !noisy[part];
        noisy[part] = 1;
    }
}

static void relax(const float (*mesh)[kWidth], long row, float* out) {
    float line[kWidth];
    for (long j = 0; j < kWidth; ++j) {
        const float left = mesh[row][j == 0 ? kWidth - 1 : j - 1], right = mesh[row][j == kWidth - 1 ? 0 : j + 1];
        line[j] = 0.5f * mesh[row][j] + 0.125f * (left + right + mesh[row - 1][j] + mesh[row + 1][j]);
    }
    // Each value needs the new one to its left: a chain, which runs at the same speed whatever the compiler.
    for (int pass = 0; pass < kPasses; ++pass) {
        float last = line[kWidth - 1];
        for (long j = 0; j < kWidth; ++j) {
            last = 0.75f * line[j] + 0.25f * last;
            line[j] = last;
        }
    }
    memcpy(out, line, sizeof line);
}

static uint64_t relax_row(long i) {
    const long row = i + 1;
    const int times = noisy[i * kParts / rows] ? kNoiseFactor : 1;
    for (int k = 0; k < times; ++k) {
        relax((const float(*)[kWidth])from, row, into[row]);
        __asm__ volatile("" : : "r"(into[row]) : "memory");  // the same again, but really
    }
    uint64_t sum = 0;
    for (long j = 0; j < kWidth; ++j) {
        sum += (uint64_t)(into[row][j] * 0x1p24f);
    }
    return mark(sum, i);
}

const struct kernel kStencil = {"stencil", kIterations, 0, prepare, begin, relax_row};
