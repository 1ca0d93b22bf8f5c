// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop that is called with N = 500 and N = 5000 in turn; costs rise along the iterations. WILD_US: length of an
// execution with N = 5000 on all threads [us]; the short one takes a tenth.
#include "kind.h"

enum { kShort = 500, kLong = 5000 };

static uint64_t out[kLong];
static double mean_units;

void wild_create(int threads, double unit_ns) {
    mean_units = units_each(WILD_US, threads, kLong, unit_ns);
}

void wild_run(long first, long count) {
    for (long step = first; step < first + count; ++step) {
        const long n = step % 2 == 0 ? kShort : kLong;
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < n; ++i)
            out[i] += 1 + work((uint64_t)(i + step), (long)(mean_units * (0.5 + (double)i / (double)n)));
    }
}

uint64_t wild_sum(void) {
    return sum_of(out, kLong);
}
