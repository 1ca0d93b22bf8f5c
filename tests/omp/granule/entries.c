/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points themselves. Upward loops begin at 0 or, if they go down, end there. */
#include <omp.h>
#include <stdbool.h>

#include "granule.h"

typedef unsigned long long ull;

/* ---- gcc ---- */
bool GOMP_loop_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_dynamic_next(long*, long*);
bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_dynamic_next(long*, long*);
bool GOMP_loop_guided_start(long, long, long, long, long*, long*);
bool GOMP_loop_guided_next(long*, long*);
bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_guided_next(long*, long*);
bool GOMP_loop_runtime_start(long, long, long, long*, long*);
bool GOMP_loop_runtime_next(long*, long*);
bool GOMP_loop_ull_dynamic_start(bool, ull, ull, ull, ull, ull*, ull*);
bool GOMP_loop_ull_dynamic_next(ull*, ull*);
bool GOMP_loop_ull_guided_start(bool, ull, ull, ull, ull, ull*, ull*);
bool GOMP_loop_ull_guided_next(ull*, ull*);
bool GOMP_loop_ull_runtime_start(bool, ull, ull, ull, ull*, ull*);
bool GOMP_loop_ull_runtime_next(ull*, ull*);
void GOMP_loop_end(void);

/* [low, high) as the loop variable runs, made [first, end) as iterations are counted. */
static void add_values(uint64_t begin, uint64_t low, uint64_t high, int stride) {
    const uint64_t step = (uint64_t)(stride < 0 ? -stride : stride);
    const uint64_t from = stride > 0 ? low - begin : begin - low;
    const uint64_t length = stride > 0 ? high - low : low - high;
    add_chunk(from / step, from / step + (length + step - 1) / step);
}

static void gomp(const Trial* t, bool nonmonotonic) {
    const long length = (long)(t->trip * (uint64_t)(t->stride < 0 ? -t->stride : t->stride));
    const long begin = t->stride > 0 ? 0 : length, end = t->stride > 0 ? length : 0, c = (long)t->chunk;
    long low, high;
    bool more;
    if (t->source == RUNTIME) {
        more = GOMP_loop_runtime_start(begin, end, t->stride, &low, &high);
    } else if (t->source == DYNAMIC) {
        more = (nonmonotonic ? GOMP_loop_nonmonotonic_dynamic_start : GOMP_loop_dynamic_start)(begin, end, t->stride, c,
                                                                                               &low, &high);
    } else {
        more = (nonmonotonic ? GOMP_loop_nonmonotonic_guided_start : GOMP_loop_guided_start)(begin, end, t->stride, c,
                                                                                             &low, &high);
    }
    while (more) {
        add_values((uint64_t)begin, (uint64_t)low, (uint64_t)high, t->stride);
        if (t->source == RUNTIME) {
            more = GOMP_loop_runtime_next(&low, &high);
        } else if (t->source == DYNAMIC) {
            more = (nonmonotonic ? GOMP_loop_nonmonotonic_dynamic_next : GOMP_loop_dynamic_next)(&low, &high);
        } else {
            more = (nonmonotonic ? GOMP_loop_nonmonotonic_guided_next : GOMP_loop_guided_next)(&low, &high);
        }
    }
    GOMP_loop_end();
}

static void gomp_plain(const Trial* t) {
    gomp(t, false);
}
static void gomp_nonmonotonic(const Trial* t) {
    gomp(t, true);
}

static void gomp_ull(const Trial* t) {
    const bool up = t->stride > 0;
    const ull length = t->trip * (ull)(up ? t->stride : -t->stride);
    const ull begin = up ? 0 : length, end = up ? length : 0, step = (ull)(long long)t->stride;
    ull low, high;
    bool more = t->source == RUNTIME   ? GOMP_loop_ull_runtime_start(up, begin, end, step, &low, &high)
                : t->source == DYNAMIC ? GOMP_loop_ull_dynamic_start(up, begin, end, step, t->chunk, &low, &high)
                                       : GOMP_loop_ull_guided_start(up, begin, end, step, t->chunk, &low, &high);
    while (more) {
        add_values(begin, low, high, t->stride);
        more = t->source == RUNTIME   ? GOMP_loop_ull_runtime_next(&low, &high)
               : t->source == DYNAMIC ? GOMP_loop_ull_dynamic_next(&low, &high)
                                      : GOMP_loop_ull_guided_next(&low, &high);
    }
    GOMP_loop_end();
}

/* ---- clang; libgomp has none of these ---- */
typedef struct Location {
    int32_t reserved, flags, more, extra;
    const char* source;
} Location;

#define WEAK __attribute__((weak))
WEAK int32_t __kmpc_global_thread_num(Location*);
#define DECLARE(suffix, T, ST)                                                          \
    WEAK void __kmpc_dispatch_init_##suffix(Location*, int32_t, int32_t, T, T, ST, ST); \
    WEAK int __kmpc_dispatch_next_##suffix(Location*, int32_t, int32_t*, T*, T*, ST*);
DECLARE(4, int32_t, int32_t)
DECLARE(4u, uint32_t, int32_t)
DECLARE(8, int64_t, int64_t)
DECLARE(8u, uint64_t, int64_t)

enum { KMP_DYNAMIC = 35, KMP_GUIDED = 36, KMP_RUNTIME = 37, KMP_MONOTONIC = 1 << 29, KMP_NONMONOTONIC = 1 << 30 };

static int32_t kmp_schedule(const Trial* t) {
    const int32_t kind = t->source == RUNTIME ? KMP_RUNTIME : t->source == DYNAMIC ? KMP_DYNAMIC : KMP_GUIDED;
    return t->trip % 2 ? kind | KMP_NONMONOTONIC : kind | KMP_MONOTONIC;
}

#define DEFINE(suffix, T, ST)                                                                                 \
    static void kmpc_##suffix(const Trial* t) {                                                               \
        static Location here = {0, 2, 0, 0, ";entries.c;kmpc_" #suffix ";1;1;;"};                             \
        if (!__kmpc_global_thread_num) return;                                                                \
        const int32_t thread = __kmpc_global_thread_num(&here);                                               \
        const uint64_t last = (t->trip - 1) * (uint64_t)(t->stride < 0 ? -t->stride : t->stride);             \
        const T begin = (T)(t->stride > 0 ? 0 : last), end = (T)(t->stride > 0 ? last : 0);                   \
        __kmpc_dispatch_init_##suffix(&here, thread, kmp_schedule(t), begin, end, t->stride, (ST)t->chunk);   \
        T low, high;                                                                                          \
        ST stride;                                                                                            \
        int32_t is_last;                                                                                      \
        while (__kmpc_dispatch_next_##suffix(&here, thread, &is_last, &low, &high, &stride))                  \
            add_values((uint64_t)begin, (uint64_t)low, (uint64_t)high + (t->stride > 0 ? 1 : -1), t->stride); \
        _Pragma("omp barrier")                                                                                \
    }
DEFINE(4, int32_t, int32_t)
DEFINE(4u, uint32_t, int32_t)
DEFINE(8, int64_t, int64_t)
DEFINE(8u, uint64_t, int64_t)

static const Entry kEntries[] = {
    {"GOMP_loop", gomp_plain, INT64_MAX, INT64_MAX, 0, 1},
    {"GOMP_loop_nonmonotonic", gomp_nonmonotonic, INT64_MAX, INT64_MAX, 0, 1},
    {"GOMP_loop_ull", gomp_ull, UINT64_MAX, INT64_MAX, 1, 1},
    {"__kmpc_4", kmpc_4, INT32_MAX, INT32_MAX, 0, 1},
    {"__kmpc_4u", kmpc_4u, UINT32_MAX, INT32_MAX, 1, 1},
    {"__kmpc_8", kmpc_8, INT64_MAX, INT64_MAX, 0, 1},
    {"__kmpc_8u", kmpc_8u, UINT64_MAX, INT64_MAX, 1, 1},
};

const Entry* all_entries(int* count) {
    *count = (int)(sizeof kEntries / sizeof kEntries[0]);
    if (!__kmpc_global_thread_num) *count = 3; /* under libgomp */
    return kEntries;
}
