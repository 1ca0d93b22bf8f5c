// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_set_schedule and omp_get_schedule in the middle of a program that the environment gave a schedule.
#include <omp.h>

#include "forms.h"

static const unsigned kMonotonic = 0x80000000U;

static void loop(const Case* run, const char* variant) {
    const long n = run->n;
    Tally tally = tally_open(run, variant, n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < n; i++) tally_hit(&tally, i);
#pragma omp for schedule(runtime)
        for (int i = (int)n; i > 0; i--) tally_hit(&tally, i - 1);
    }
    tally_close(&tally, 2);
}

static void expect(const Case* run, const char* what, omp_sched_t kind, int chunk) {
    omp_sched_t now;
    int now_chunk = -1;
    omp_get_schedule(&now, &now_chunk);
    // A runtime may report the monotonic modifier that it assumes; the kind itself must be the one that was set.
    if (((unsigned)now & ~kMonotonic) != ((unsigned)kind & ~kMonotonic) || now_chunk != chunk) {
        case_fail(run, "%s: omp_get_schedule says kind %x chunk %d, expected kind %x chunk %d", what, (unsigned)now,
                  now_chunk, (unsigned)kind, chunk);
    }
}

static void round_trip(const Case* run) {
    omp_sched_t kind;
    int chunk = -1;
    omp_get_schedule(&kind, &chunk);
    loop(run, "before omp_set_schedule");
    static const omp_sched_t kKinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    for (int k = 0; k < 3; k++) {
        omp_set_schedule(kKinds[k], 5);
        expect(run, "set with chunk 5", kKinds[k], 5);
        loop(run, "after omp_set_schedule(kind, 5)");
        omp_set_schedule((omp_sched_t)((unsigned)kKinds[k] | kMonotonic), 3);
        expect(run, "set monotonic with chunk 3", kKinds[k], 3);
        loop(run, "after omp_set_schedule(monotonic kind, 3)");
    }
    omp_set_schedule(omp_sched_auto, 0);
    loop(run, "after omp_set_schedule(auto)");
    omp_set_schedule(omp_sched_dynamic, 0);
    loop(run, "after omp_set_schedule(dynamic, 0)");
    omp_set_schedule(kind, chunk);
    expect(run, "restored", kind, chunk);
    loop(run, "after the first schedule was restored");
}

// The schedule belongs to a task's data environment: what a thread sets inside its region stays there.
static void inside_region(const Case* run) {
    omp_sched_t kind;
    int chunk = -1;
    omp_get_schedule(&kind, &chunk);
    const long n = run->n;
    Tally tally = tally_open(run, "loop after every thread set its schedule", n);
#pragma omp parallel num_threads(run->threads)
    {
        expect(run, "inherited by a thread", kind, chunk);
        omp_set_schedule(omp_sched_guided, 2);
        expect(run, "set in a thread", omp_sched_guided, 2);
#pragma omp for schedule(runtime)
        for (long i = 0; i < n; i++) tally_hit(&tally, i);
        omp_set_schedule(kind, chunk);
        expect(run, "restored in a thread", kind, chunk);
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < n; i++) tally_hit(&tally, i);
    }
    tally_close(&tally, 2);
    expect(run, "after the region", kind, chunk);
}

// A static schedule that all threads set inside their region promises them the same iterations in loops of the same
// length: what one loop writes the next one may read without a barrier. Then the threads take it back, set it again.
static void same_mapping(const Case* run) {
    enum { kChunk = 7 };
    omp_sched_t kind;
    int chunk = -1;
    omp_get_schedule(&kind, &chunk);
    const long n = run->n;
    atomic_long wrong = 0;
    Tally tally = tally_open(run, "loops whose schedule is set in their region", n);
#pragma omp parallel num_threads(run->threads)
    {
        const long number = omp_get_thread_num(), threads = omp_get_num_threads();
        for (int round = 0; round < 2; round++) {
            omp_set_schedule(omp_sched_static, kChunk);
#pragma omp for schedule(runtime) nowait
            for (long i = 0; i < n; i++) {
                tally_hit(&tally, i);
                if (i / kChunk % threads != number) atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
            }
#pragma omp for simd schedule(runtime) nowait
            for (int i = 0; i < (int)n; i++) tally_hit(&tally, i);
#pragma omp for schedule(runtime) ordered nowait
            for (long i = n; i > 0; i--) {
                tally_hit(&tally, i - 1);
                if ((n - i) / kChunk % threads != number) atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
#pragma omp ordered
                atomic_signal_fence(memory_order_relaxed);
            }
            omp_set_schedule(kind, chunk);
#pragma omp for schedule(runtime) nowait
            for (unsigned long long i = 0; i < (unsigned long long)n; i++) tally_hit(&tally, (long)i);
            omp_set_schedule(omp_sched_guided, 2);
#pragma omp for schedule(runtime)
            for (long i = 0; i < n; i++) tally_hit(&tally, i);
        }
    }
    tally_close(&tally, 10);
    if (wrong != 0) case_fail(run, "%ld iterations of loops with a static schedule on other threads", (long)wrong);
    Tally next = tally_open(run, "loop of the next region", n);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
    for (long i = 0; i < n; i++) tally_hit(&next, i);
    tally_close(&next, 1);
    expect(run, "after the regions", kind, chunk);
}

static const Form kForms[] = {
    {"schedule_api", round_trip, kEachN},
    {"schedule_api_inside", inside_region, kEachN},
    {"schedule_api_mapping", same_mapping, kEachN | kRepaired},
};
FORM_TABLE(kScheduleApiForms, kForms);
