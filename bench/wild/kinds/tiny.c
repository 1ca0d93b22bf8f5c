// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiny loops of even cost. WILD_NS: work of one execution on all threads [ns]. WILD_INSIDE: the loops of a call lie in
// one parallel region, each with its barrier; else each opens a region of its own. WILD_N: trip count.
#include "kind.h"

#ifndef WILD_N
#define WILD_N 64
#endif

static uint64_t out[WILD_N];
static long units;

void wild_create(int threads, double unit_ns) {
    units = (long)(units_each(WILD_NS * 1e-3, threads, WILD_N, unit_ns) + 0.5);
}

void wild_run(long first, long count) {
#ifdef WILD_INSIDE
#pragma omp parallel
    for (long step = first; step < first + count; ++step) {
#pragma omp for schedule(runtime)
        for (long i = 0; i < WILD_N; ++i) out[i] += 1 + work((uint64_t)(i + step), units);
    }
#else
    for (long step = first; step < first + count; ++step) {
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < WILD_N; ++i) out[i] += 1 + work((uint64_t)(i + step), units);
    }
#endif
}

uint64_t wild_sum(void) {
    return sum_of(out, WILD_N);
}
