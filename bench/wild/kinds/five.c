// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five long iterations of different cost. WILD_US: length of an execution if it could be split evenly [us].
#include "kind.h"

enum { kN = 5 };

static uint64_t out[kN];
static double mean_units;

void wild_create(int threads, double unit_ns) {
    mean_units = units_each(WILD_US, threads, kN, unit_ns);
}

void wild_run(long first, long count) {
    static const double costs[kN] = {1.4, 0.6, 1.1, 0.8, 1.1};
    for (long step = first; step < first + count; ++step) {
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < kN; ++i) out[i] += 1 + work((uint64_t)(i + step), (long)(mean_units * costs[i]));
    }
}

uint64_t wild_sum(void) {
    return sum_of(out, kN);
}
