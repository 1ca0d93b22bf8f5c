// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cancelled loops. With OMP_CANCELLATION=true the iterations after the cancellation are left out; none runs twice, and
// every later loop of the region is whole. Without it the same loops run completely.
#include <omp.h>

#include "forms.h"

enum { kLoops = 12 };  // more than libomp's 7 dispatch buffers

static void close_loop(Tally* tally, long trigger) {
    if (omp_get_cancellation() && trigger < tally->n) {
        tally_close_cancelled(tally, trigger);
    } else {
        tally_close(tally, 1);
    }
}

static void one(const Case* run) {
    const long n = run->n;
    const long trigger = n / 3;
    Tally cancelled = tally_open(run, "cancelled loop", n);
    Tally after = tally_open(run, "loop after a cancelled one", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for schedule(runtime)
        for (long i = 0; i < n; i++) {
            tally_hit(&cancelled, i);
            if (i == trigger) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp for schedule(runtime)
        for (long i = 0; i < n; i++) tally_hit(&after, i);
    }
    close_loop(&cancelled, trigger);
    tally_close(&after, 1);
}

static void many(const Case* run) {
    const int n = (int)run->n;
    const int trigger = n / 2;
    Tally cancelled[kLoops];
    for (int k = 0; k < kLoops; k++) cancelled[k] = tally_open(run, "one of 12 cancelled loops", n);
    Tally after = tally_open(run, "loops after 12 cancelled ones", n);
#pragma omp parallel num_threads(run->threads)
    {
        for (int k = 0; k < kLoops; k++) {
#pragma omp for schedule(runtime)
            for (int i = 0; i < n; i++) {
                tally_hit(&cancelled[k], i);
                if (i == trigger) {
#pragma omp cancel for
                }
#pragma omp cancellation point for
            }
        }
        for (int k = 0; k < kLoops; k++) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < n; i++) tally_hit(&after, i);
        }
    }
    for (int k = 0; k < kLoops; k++) close_loop(&cancelled[k], trigger);
    tally_close(&after, kLoops);
}

static void combined(const Case* run) {
    const unsigned long long n = (unsigned long long)run->n;
    const long trigger = run->n - 1;
    for (int round = 0; round < 3; round++) {
        Tally cancelled = tally_open(run, "cancelled parallel for", run->n);
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
        for (unsigned long long i = 0; i < n; i++) {
            tally_hit(&cancelled, (long)i);
            if ((long)i == trigger) {
#pragma omp cancel for
            }
        }
        close_loop(&cancelled, trigger < 0 ? run->n : trigger);
    }
}

// cancel parallel: threads leave the region while others are in its second loop; the next region starts clean.
static void region(const Case* run) {
    const long n = run->n;
    for (int round = 0; round < 3; round++) {
        Tally before = tally_open(run, "loop before cancel parallel", n);
        Tally cancelled = tally_open(run, "loop after cancel parallel", n);
        Tally next = tally_open(run, "loop of the next region", n);
#pragma omp parallel num_threads(run->threads)
        {
#pragma omp for schedule(runtime) nowait
            for (long i = 0; i < n; i++) tally_hit(&before, i);
            if (omp_get_thread_num() == run->threads - 1) {
#pragma omp cancel parallel
            }
#pragma omp cancellation point parallel
#pragma omp for schedule(runtime)
            for (long i = 0; i < n; i++) tally_hit(&cancelled, i);
        }
#pragma omp parallel for schedule(runtime) num_threads(run->threads)
        for (long i = 0; i < n; i++) tally_hit(&next, i);
        tally_close(&before, 1);
        if (omp_get_cancellation()) {
            tally_close_cancelled(&cancelled, -1);
        } else {
            tally_close(&cancelled, 1);
        }
        tally_close(&next, 1);
    }
}

// libomp does not release the dispatch buffer of a cancelled loop: later loops of the team lose iterations or hang. In
// a team of one thread it never clears the request, which ends every later loop of the region that looks for one.
static const Form kForms[] = {
    {"cancel_one", one, kEachN | kRepaired},
    {"cancel_many", many, kEachN | kRepaired | kTeamOnly},
    {"cancel_combined", combined, kEachN | kRepaired},
    {"cancel_parallel", region, kEachN | kRepaired},
};
FORM_TABLE(kCancelForms, kForms);
