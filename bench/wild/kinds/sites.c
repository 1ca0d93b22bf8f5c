// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sixteen small loops, each a site of its own. The driver loads many copies of them: how much memory does a loop take?
#include "kind.h"

enum { kN = 512 };

static uint64_t out[kN];

#define LOOP \
    _Pragma("omp for schedule(runtime)") for (long i = 0; i < kN; ++i) out[i] += 1 + work((uint64_t)(i + step), 20)
#define FOUR \
    LOOP;    \
    LOOP;    \
    LOOP;    \
    LOOP

void wild_create(int threads, double unit_ns) {
    (void)threads, (void)unit_ns;
}

void wild_run(long first, long count) {
#pragma omp parallel
    for (long step = first; step < first + count; ++step) {
        FOUR;
        FOUR;
        FOUR;
        FOUR;
    }
}

uint64_t wild_sum(void) {
    return sum_of(out, kN);
}
