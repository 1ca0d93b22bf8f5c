// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops at the ends of their type. Every loop is legal: neither its trip count nor the value after its last iteration
// leaves the type. What overflows is careless arithmetic in a runtime: start + chunk * stride, or upper + stride.
#include <limits.h>

#include "forms.h"

#define LOOP(name, Type, compare, advance, sign)                                                           \
    static void name(const Case* run, const char* variant, Type first, Type last, Type step, long trips) { \
        const Span span = {(uint64_t)first, sign * (int64_t)step};                                         \
        Tally tally = tally_open(run, variant, trips);                                                     \
        _Pragma("omp parallel num_threads(run->threads)") {                                                \
            _Pragma("omp for schedule(runtime)") for (Type i = first; i compare last; i advance step)      \
                tally_value(&tally, span, (uint64_t)i);                                                    \
        }                                                                                                  \
        tally_close(&tally, 1);                                                                            \
    }

LOOP(int_up, int, <, +=, 1)
LOOP(int_to, int, <=, +=, 1)
LOOP(int_down, int, >, -=, -1)
LOOP(unsigned_up, unsigned, <, +=, 1)
#ifdef __clang__
LOOP(unsigned_down, unsigned, >, -=, -1)
#endif
LOOP(long_up, long long, <, +=, 1)
LOOP(long_to, long long, <=, +=, 1)
LOOP(long_down, long long, >, -=, -1)
LOOP(ull_up, unsigned long long, <, +=, 1)
LOOP(ull_to, unsigned long long, <=, +=, 1)
LOOP(ull_down, unsigned long long, >, -=, -1)

static void int_bounds(const Case* run) {
    const int k = (int)run->n;
    int_up(run, "[INT_MAX-N, INT_MAX)", INT_MAX - k, INT_MAX, 1, k);
    int_to(run, "[INT_MAX-N, INT_MAX-1]", INT_MAX - k, INT_MAX - 1, 1, k);
    int_to(run, "[INT_MIN, INT_MIN+N]", INT_MIN, INT_MIN + k, 1, k + 1L);
    int_down(run, "(INT_MIN, INT_MIN+N] down", INT_MIN + k, INT_MIN, 1, k);
    int_down(run, "[INT_MAX-N+1, INT_MAX] down", INT_MAX, INT_MAX - k, 1, k);
    int_up(run, "[-N, N)", -k, k, 1, 2L * k);
    int_up(run, "up by 300 to INT_MAX", INT_MAX - 300 * k, INT_MAX - 299, 300, k);
    int_down(run, "down by 300 to INT_MIN", INT_MIN + 300 * k, INT_MIN + 299, 300, k);
    int_up(run, "three huge steps", -1500000000, 1, 600000000, 3);
}

static void unsigned_bounds(const Case* run) {
    const unsigned k = (unsigned)run->n;
    unsigned_up(run, "[UINT_MAX-N, UINT_MAX)", UINT_MAX - k, UINT_MAX, 1, k);
    unsigned_up(run, "[2^31-N, 2^31+N)", 0x80000000U - k, 0x80000000U + k, 1, 2L * k);
    unsigned_up(run, "up by 300 to UINT_MAX", UINT_MAX - 300 * k, UINT_MAX - 299, 300, k);
    unsigned_up(run, "seven huge steps", 0, 6U * 0x20000000U + 1, 0x20000000U, 7);
#ifdef __clang__  // see basic.c: gcc 12 cannot compile downward unsigned loops
    unsigned_down(run, "(0, N] down", k, 0, 1, k);
    unsigned_down(run, "[UINT_MAX-N+1, UINT_MAX] down", UINT_MAX, UINT_MAX - k, 1, k);
#endif
}

static void long_bounds(const Case* run) {
    const long long k = run->n;
    long_up(run, "[LLONG_MAX-N, LLONG_MAX)", LLONG_MAX - k, LLONG_MAX, 1, k);
    long_to(run, "[LLONG_MAX-N, LLONG_MAX-1]", LLONG_MAX - k, LLONG_MAX - 1, 1, k);
    long_to(run, "[LLONG_MIN, LLONG_MIN+N]", LLONG_MIN, LLONG_MIN + k, 1, k + 1);
    long_down(run, "(LLONG_MIN, LLONG_MIN+N] down", LLONG_MIN + k, LLONG_MIN, 1, k);
    long_down(run, "[LLONG_MAX-N+1, LLONG_MAX] down", LLONG_MAX, LLONG_MAX - k, 1, k);
    long_up(run, "[2^32-N, 2^32+N)", (1LL << 32) - k, (1LL << 32) + k, 1, 2 * k);
    long_up(run, "up by 2^50 to LLONG_MAX", LLONG_MAX - k * (1LL << 50), LLONG_MAX - (1LL << 50) + 1, 1LL << 50, k);
    long_down(run, "down by 2^50 to LLONG_MIN", LLONG_MIN + k * (1LL << 50), LLONG_MIN + (1LL << 50) - 1, 1LL << 50, k);
    long_up(run, "seven huge steps", -3 * (1LL << 60), 3 * (1LL << 60) + 1, 1LL << 60, 7);
    long_down(run, "seven huge steps down", 3 * (1LL << 60), -3 * (1LL << 60) - 1, 1LL << 60, 7);
}

static void ull_bounds(const Case* run) {
    const unsigned long long k = (unsigned long long)run->n;
    ull_up(run, "[ULLONG_MAX-N, ULLONG_MAX)", ULLONG_MAX - k, ULLONG_MAX, 1, run->n);
    ull_to(run, "[ULLONG_MAX-N, ULLONG_MAX-1]", ULLONG_MAX - k, ULLONG_MAX - 1, 1, run->n);
    ull_up(run, "[2^63-N, 2^63+N)", (1ULL << 63) - k, (1ULL << 63) + k, 1, 2 * run->n);
    ull_up(run, "up by 2^50 to ULLONG_MAX", ULLONG_MAX - k * (1ULL << 50), ULLONG_MAX - (1ULL << 50) + 1, 1ULL << 50,
           run->n);
    ull_up(run, "seven huge steps", 0, 6 * (1ULL << 61) + 1, 1ULL << 61, 7);
}

static void ull_bounds_down(const Case* run) {
    const unsigned long long k = (unsigned long long)run->n;
    ull_down(run, "(0, N] down", k, 0, 1, run->n);
    ull_down(run, "[ULLONG_MAX-N+1, ULLONG_MAX] down", ULLONG_MAX, ULLONG_MAX - k, 1, run->n);
    ull_down(run, "(2^63-N, 2^63+N] down by 2", (1ULL << 63) + k, (1ULL << 63) - k, 2, run->n);
}

static const Form kForms[] = {
    {"bounds_int", int_bounds, kEachN},
    {"bounds_unsigned", unsigned_bounds, kEachN},
    {"bounds_long", long_bounds, kEachN},
    {"bounds_ull", ull_bounds, kEachN},
    {"bounds_ull_down", ull_bounds_down, kEachN | kGnuUnrepaired},  // as plain_ull_down
};
FORM_TABLE(kBoundsForms, kForms);
