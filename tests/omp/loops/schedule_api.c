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

static const Form kForms[] = {
    {"schedule_api", round_trip, kEachN},
    {"schedule_api_inside", inside_region, kEachN},
};
FORM_TABLE(kScheduleApiForms, kForms);
