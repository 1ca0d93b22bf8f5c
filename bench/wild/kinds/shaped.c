// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations cost what a formula of position and step says. WILD_SHAPE: one of the functions below,
// WILD_N: trip count, WILD_US: length of an execution on all threads [us].
#include <math.h>

#include "kind.h"

#define SHAPE __attribute__((unused)) static inline

static uint64_t out[WILD_N];
static double mean_units;

/// Each returns the cost of iteration i in a step over the mean cost.
SHAPE double uniform(long i, long step) {
    (void)i, (void)step;
    return 1;
}

SHAPE double triangular(long i, long step) {
    (void)step;
    return 2 * ((double)i + 0.5) / WILD_N;
}

/// From three quarters to five quarters: two equal blocks are an eighth off their mean.
SHAPE double rising(long i, long step) {
    (void)step;
    return 0.75 + 0.5 * ((double)i + 0.5) / WILD_N;
}

/// From a half to three halves: two equal blocks are a quarter off their mean.
SHAPE double steep(long i, long step) {
    (void)step;
    return 0.5 + ((double)i + 0.5) / WILD_N;
}

/// A stretch of 9 times the cost that wanders by a tenth of the loop in 100 steps.
SHAPE double drift(long i, long step) {
    const double place = fmod(0.1 + 1e-3 * (double)step, 1.0) * WILD_N;
    const double distance = fabs((double)i - place) / WILD_N;
    return (distance < 0.05 || distance > 0.95) ? 5 : 5.0 / 9;
}

/// One iteration in ten costs 7.3 times as much as the others; which ones stays.
SHAPE double bimodal(long i, long step) {
    (void)step;
    return chance((uint64_t)i, 7) < 0.1 ? 4.5 : 0.61;
}

/// The dear third lies elsewhere after every 50 steps.
SHAPE double jump(long i, long step) {
    const long place = (long)(chance((uint64_t)(step / 50), 11) * WILD_N);
    return (i - place + WILD_N) % WILD_N < WILD_N / 3 ? 2.4 : 0.3;
}

/// Every iteration's cost is drawn anew in every step, exponentially distributed, and blocks of a sixteenth differ.
SHAPE double random_cost(long i, long step) {
    const double block = 0.5 + chance((uint64_t)(i / (WILD_N / 16 + 1)), (uint64_t)step);
    return -block * log(1 - chance((uint64_t)i, (uint64_t)step + 1000));
}

void wild_create(int threads, double unit_ns) {
    mean_units = units_each(WILD_US, threads, WILD_N, unit_ns);
}

void wild_run(long first, long count) {
    for (long step = first; step < first + count; ++step) {
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < WILD_N; ++i)
            out[i] += 1 + work((uint64_t)(i + step), (long)(mean_units * WILD_SHAPE(i, step)));
    }
}

uint64_t wild_sum(void) {
    return sum_of(out, WILD_N);
}
