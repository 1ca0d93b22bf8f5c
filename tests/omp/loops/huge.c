// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of 2^63 - 1 iterations. No program can run one to its end, so this file calls the runtime's entry points as the
// compilers do, draws some chunks and compares ranges: no overlap ever, and no gap when the loop ran dry. A loop that
// is left before its end cannot be closed: every case lives in a child process that ends without closing it.
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forms.h"

enum { kDraws = 300, kMaxThreads = 8, kChildSeconds = 200 };

/// A chunk, both ends included.
typedef struct Range {
    unsigned long long low, high;
} Range;

#ifdef __clang__
// The interface of libomp that clang calls.
typedef struct Ident {
    int reserved_1, flags, reserved_2, reserved_3;
    const char* source;
} Ident;
int __kmpc_global_thread_num(Ident* where);
void __kmpc_dispatch_init_8(Ident*, int thread, int kind, long long lb, long long ub, long long st, long long chunk);
int __kmpc_dispatch_next_8(Ident*, int thread, int* last, long long* lb, long long* ub, long long* st);
void __kmpc_dispatch_init_8u(Ident*, int thread, int kind, unsigned long long lb, unsigned long long ub, long long st,
                             long long chunk);
int __kmpc_dispatch_next_8u(Ident*, int thread, int* last, unsigned long long* lb, unsigned long long* ub,
                            long long* st);

static Ident here = {0, 0x202, 0, 0, ";huge.c;draw;1;1;;"};
static const int kRuntime = 37 | (1 << 30);  // runtime, nonmonotonic: clang's default since 11

static long draw_signed(long long first, long long end, Range* range) {
    const int thread = __kmpc_global_thread_num(&here);
    int last;
    long long low, high, stride;
    __kmpc_dispatch_init_8(&here, thread, kRuntime, first, end - 1, 1, 1);
    long count = 0;
    while (count < kDraws && __kmpc_dispatch_next_8(&here, thread, &last, &low, &high, &stride)) {
        range[count++] = (Range){(unsigned long long)low, (unsigned long long)high};
    }
    return count;
}

static long draw_unsigned(unsigned long long first, unsigned long long end, Range* range) {
    const int thread = __kmpc_global_thread_num(&here);
    int last;
    unsigned long long low, high;
    long long stride;
    __kmpc_dispatch_init_8u(&here, thread, kRuntime, first, end - 1, 1, 1);
    long count = 0;
    while (count < kDraws && __kmpc_dispatch_next_8u(&here, thread, &last, &low, &high, &stride)) {
        range[count++] = (Range){low, high};
    }
    return count;
}
#else
// The interface of libgomp that gcc calls; the ends of its chunks are excluded.
_Bool GOMP_loop_maybe_nonmonotonic_runtime_start(long first, long end, long step, long* low, long* high);
_Bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* low, long* high);
_Bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(_Bool up, unsigned long long first, unsigned long long end,
                                                     unsigned long long step, unsigned long long* low,
                                                     unsigned long long* high);
_Bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(unsigned long long* low, unsigned long long* high);

static long draw_signed(long long first, long long end, Range* range) {
    long low, high;
    long count = 0;
    _Bool more = GOMP_loop_maybe_nonmonotonic_runtime_start(first, end, 1, &low, &high);
    for (; more && count < kDraws; more = GOMP_loop_maybe_nonmonotonic_runtime_next(&low, &high)) {
        range[count++] = (Range){(unsigned long long)low, (unsigned long long)high - 1};
    }
    return count;
}

static long draw_unsigned(unsigned long long first, unsigned long long end, Range* range) {
    unsigned long long low, high;
    long count = 0;
    _Bool more = GOMP_loop_ull_maybe_nonmonotonic_runtime_start(1, first, end, 1, &low, &high);
    for (; more && count < kDraws; more = GOMP_loop_ull_maybe_nonmonotonic_runtime_next(&low, &high)) {
        range[count++] = (Range){low, high - 1};
    }
    return count;
}
#endif

static int compare_ranges(const void* a, const void* b) {
    const Range* const left = a;
    const Range* const right = b;
    return left->low < right->low ? -1 : left->low > right->low;
}

// Ranges are compared relative to the first iteration, so that signed and unsigned loops read the same.
static void check(const Case* run, const char* variant, Range* range, long count, bool dry, unsigned long long trips) {
    qsort(range, (size_t)count, sizeof *range, compare_ranges);
    unsigned long long next = 0;
    for (long k = 0; k < count; k++) {
        if (range[k].high < range[k].low || range[k].high >= trips) {
            case_fail(run, "%s: chunk [%llu, %llu] is outside the loop", variant, range[k].low, range[k].high);
            return;
        }
        if (range[k].low < next) {
            case_fail(run, "%s: chunk [%llu, %llu] overlaps the one before", variant, range[k].low, range[k].high);
            return;
        }
        if (dry && range[k].low > next) {
            case_fail(run, "%s: iterations [%llu, %llu) are in no chunk", variant, next, range[k].low);
            return;
        }
        next = range[k].high + 1;
    }
    if (dry && next != trips) case_fail(run, "%s: iterations from %llu on are in no chunk", variant, next);
    if (count == 0) case_fail(run, "%s: no chunk at all", variant);
}

static _Noreturn void child(const Case* run, const char* variant, bool is_signed, unsigned long long first) {
    static Range all[kMaxThreads * kDraws];
    const unsigned long long trips = LLONG_MAX;
    long count = 0;
    bool dry = true;
    alarm(kChildSeconds);  // a child does not inherit its parent's alarm, only the handler
    omp_set_dynamic(0);
#pragma omp parallel num_threads(run->threads)
    {
        Range mine[kDraws];
        const long drawn = is_signed ? draw_signed((long long)first, (long long)(first + trips), mine)
                                     : draw_unsigned(first, first + trips, mine);
#pragma omp critical
        {
            for (long k = 0; k < drawn; k++) all[count + k] = (Range){mine[k].low - first, mine[k].high - first};
            count += drawn;
            if (drawn == kDraws) dry = false;
        }
#pragma omp barrier
#pragma omp master
        {
            check(run, variant, all, count, dry, trips);
            fflush(stdout);
            _exit(failures() > 0);
        }
#pragma omp barrier
    }
    _exit(1);
}

static void in_child(const Case* run, const char* variant, bool is_signed, unsigned long long first) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) child(run, variant, is_signed, first);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        case_fail(run, "%s: fork failed", variant);
    } else if (status != 0) {
        case_fail(run, "%s: failed in a child process, wait status %d", variant, status);
    }
}

static void huge_signed(const Case* run) {
    in_child(run, "[0, 2^63-1)", true, 0);
    in_child(run, "[-2^62, 2^62-1)", true, 0 - (1ULL << 62));
}

static void huge_unsigned(const Case* run) {
    in_child(run, "unsigned [0, 2^63-1)", false, 0);
    in_child(run, "unsigned [2^63, 2^64-1)", false, 1ULL << 63);
}

static const Form kForms[] = {
    {"huge_signed", huge_signed, kFirst},
    {"huge_unsigned", huge_unsigned, kFirst},
};
FORM_TABLE(kHugeForms, kForms);
