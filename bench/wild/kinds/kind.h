// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kind of loop gives the driver (wild.c), and the arithmetic its iterations are made of. A kind is a shared
// library with its data in static storage: the driver loads one copy per schedule, so that each has its own code
// addresses (auto learns per loop address) and its own data.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/// What one unit of work() takes in this library, in iterations of some hundred units [ns]. The driver asks one copy
/// and tells all.
double wild_unit(void);

/// Make the data. threads: size of the team [count]; unit_ns: what wild_unit() of one copy said [ns].
/// Called once, before anything else, by the thread that opens all regions.
void wild_create(int threads, double unit_ns);

/// Execute steps first to first + count - 1, all loops schedule(runtime).
void wild_run(long first, long count);

/// Checksum of everything computed so far, the same in any order of iterations: another one than that of the other
/// schedules means that an iteration was lost or ran twice.
uint64_t wild_sum(void);

// A kind may have two more. double wild_error(void): what must be at most 1 of the result. double wild_timed_ns(void):
// what of the last wild_run() counts [ns], if not all of it.

/// A chain of dependent integer operations, below 2^31 so that Fortran's signed integers can do the same.
static inline uint64_t work(uint64_t seed, long units) {
    uint64_t x = seed & 0x7fffffff;
    for (long k = 0; k < units; ++k) x = (x * 1103515245 + 12345) & 0x7fffffff;
    return x;
}

double wild_unit(void) {
    enum { kIterations = 2000 };
    static volatile long asked = 200;  // so that the compiler does not know it
    const long units = asked;
    static uint64_t kept[64];
    double best = 1e30;
    for (int k = 0; k < 20; ++k) {
        struct timespec t0, t1;
        clock_gettime(CLOCK_MONOTONIC, &t0);
        for (int i = 0; i < kIterations; ++i) kept[i % 64] += work((uint64_t)(i + k), units);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        const double ns = 1e9 * (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec);
        best = ns < best ? ns : best;
    }
    return best / kIterations / (double)units;
}

/// A number in [0, 1) from any two integers. (splitmix64's finaliser, Steele, Lea, Flood 2014)
static inline double chance(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9E3779B97F4A7C15u + b * 0xD1B54A32D192ED03u + 0x632BE59BD9B4E019u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/// Units of work of one iteration, so that an execution of n iterations takes loop_us on all threads. [units]
static inline double units_each(double loop_us, int threads, long n, double unit_ns) {
    return loop_us * 1e3 * threads / (unit_ns * (double)n);
}

static inline uint64_t sum_of(const uint64_t* values, long n) {
    uint64_t sum = 0;
    for (long i = 0; i < n; ++i) sum += values[i] * (2 * (uint64_t)i + 1);
    return sum;
}
