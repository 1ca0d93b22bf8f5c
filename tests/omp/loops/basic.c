// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain loops: four types, up and down, strides 1 and 3, as `parallel for` and as `for` inside a region, with each
// modifier of the schedule.
#include <omp.h>

#include "forms.h"

// One function per combination, as in a user's program: the compilers choose the entry point from the type.
#define LOOP(name, Type, compare, advance, sign)                                                                       \
    static void name##_combined(Tally* tally, Type first, Type last, Type step) {                                      \
        const int threads = tally->run->threads;                                                                       \
        const Span span = {(uint64_t)first, sign * (int64_t)step};                                                     \
        _Pragma("omp parallel for schedule(runtime) num_threads(threads)") for (Type i = first; i compare last;        \
                                                                                i advance step) {                      \
            tally_value(tally, span, (uint64_t)i);                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_inside(Tally* tally, Type first, Type last, Type step) {                                        \
        const Span span = {(uint64_t)first, sign * (int64_t)step};                                                     \
        _Pragma("omp parallel num_threads(tally->run->threads)") {                                                     \
            _Pragma("omp for schedule(runtime)") for (Type i = first; i compare last; i advance step) {                \
                tally_value(tally, span, (uint64_t)i);                                                                 \
            }                                                                                                          \
            _Pragma("omp for schedule(nonmonotonic : runtime)") for (Type i = first; i compare last; i advance step) { \
                tally_value(tally, span, (uint64_t)i);                                                                 \
            }                                                                                                          \
        }                                                                                                              \
    }

// With this modifier each thread must see its iterations in their logical order.
#define MONOTONIC(name, Type, compare, advance, sign)                                                               \
    static void name(Tally* tally, Type first, Type last, Type step) {                                              \
        const Span span = {(uint64_t)first, sign * (int64_t)step};                                                  \
        _Pragma("omp parallel num_threads(tally->run->threads)") {                                                  \
            bool begun = false;                                                                                     \
            Type before = first;                                                                                    \
            _Pragma("omp for schedule(monotonic : runtime)") for (Type i = first; i compare last; i advance step) { \
                if (begun && !(before compare i)) {                                                                 \
                    case_fail(tally->run, "%s: thread %d got %lld after %lld in a monotonic loop", tally->variant,  \
                              omp_get_thread_num(), (long long)i, (long long)before);                               \
                }                                                                                                   \
                begun = true;                                                                                       \
                before = i;                                                                                         \
                tally_value(tally, span, (uint64_t)i);                                                              \
            }                                                                                                       \
        }                                                                                                           \
    }

// The unit-stride loops are written with ++ and --: compilers treat a stride known to be 1 on a path of its own.
#define FORM(name, Type)                                                                                               \
    LOOP(name##_up, Type, <, +=, 1)                                                                                    \
    LOOP(name##_down, Type, >, -=, -1)                                                                                 \
    MONOTONIC(name##_monotonic_up, Type, <, +=, 1)                                                                     \
    MONOTONIC(name##_monotonic_down, Type, >, -=, -1)                                                                  \
    static void name##_unit(Tally* tally, Type last) {                                                                 \
        const Span span = {0, 1};                                                                                      \
        _Pragma("omp parallel for schedule(runtime) num_threads(tally->run->threads)") for (Type i = 0; i < last; i++) \
            tally_value(tally, span, (uint64_t)i);                                                                     \
    }                                                                                                                  \
    static void name(const Case* run) {                                                                                \
        const Type n = (Type)run->n;                                                                                   \
        Tally tally = tally_open(run, #name " ++", run->n);                                                            \
        name##_unit(&tally, n);                                                                                        \
        tally_close(&tally, 1);                                                                                        \
        if (run->n > 100000) return;                                                                                   \
        tally = tally_open(run, #name " += 3", run->n);                                                                \
        name##_up_combined(&tally, 5, (Type)(5 + 3 * n), 3);                                                           \
        tally_close(&tally, 1);                                                                                        \
        tally = tally_open(run, #name " += 7, in a region, twice", run->n);                                            \
        name##_up_inside(&tally, 5, (Type)(5 + 7 * n), 7);                                                             \
        tally_close(&tally, 2);                                                                                        \
        tally = tally_open(run, #name " += 2, monotonic", run->n);                                                     \
        name##_monotonic_up(&tally, 1, (Type)(1 + 2 * n), 2);                                                          \
        tally_close(&tally, 1);                                                                                        \
    }                                                                                                                  \
    static void name##_down(const Case* run) {                                                                         \
        const Type n = (Type)run->n;                                                                                   \
        Tally tally = tally_open(run, #name " -= 3", run->n);                                                          \
        name##_down_combined(&tally, (Type)(3 * n + 5), 5, 3);                                                         \
        tally_close(&tally, 1);                                                                                        \
        tally = tally_open(run, #name " -= 1, in a region, twice", run->n);                                            \
        name##_down_inside(&tally, n, 0, 1);                                                                           \
        tally_close(&tally, 2);                                                                                        \
        tally = tally_open(run, #name " -= 2, monotonic", run->n);                                                     \
        name##_monotonic_down(&tally, (Type)(2 * n + 1), 1, 2);                                                        \
        tally_close(&tally, 1);                                                                                        \
    }

FORM(plain_int, int)
FORM(plain_unsigned, unsigned)
FORM(plain_long, long)
FORM(plain_ull, unsigned long long)

// Loops that the compiler knows to be empty: gcc starts these, where it leaves out others, and the next loop of the
// team must be whole.
static void empty(const Case* run) {
    for (int round = 0; round < 3; round++) {
        Tally none = tally_open(run, "empty by its constants", 0);
        Tally after = tally_open(run, "loop after an empty one", run->n);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
        for (int i = 10; i < 10; i++) tally_hit(&none, i);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
        for (unsigned long long i = 0; i < (unsigned long long)run->n; i++) tally_hit(&after, (long)i);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
        for (int i = 10; i > 10; i--) tally_hit(&none, i);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
        for (long i = 0; i < run->n; i++) tally_hit(&after, i);
        tally_close(&none, 1);
        tally_close(&after, 2);
    }
}

static const Form kForms[] = {
    {"plain_int", plain_int, kEachN | kBig},
    {"plain_int_down", plain_int_down, kEachN},
    {"plain_unsigned", plain_unsigned, kEachN},
#ifdef __clang__
    // gcc 12 passes the negated stride of a downward `unsigned` loop as a positive long: no iteration runs, whatever
    // the runtime (with libgomp too). Nothing can repair a call that says "empty loop".
    {"plain_unsigned_down", plain_unsigned_down, kEachN},
#endif
    {"plain_long", plain_long, kEachN | kBig},
    {"plain_long_down", plain_long_down, kEachN},
    {"plain_ull", plain_ull, kEachN | kBig},
    // libomp takes the stride that gcc passes for positive and runs no iteration.
    {"plain_ull_down", plain_ull_down, kEachN | kGnuUnrepaired},
    {"empty", empty, kEachN},
};
FORM_TABLE(kBasicForms, kForms);
