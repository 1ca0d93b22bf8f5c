// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop under teams that differ: sizes that change, a thread that comes late, serialized regions, several pthreads
// that each bring a team.
#include <omp.h>
#include <pthread.h>

#include "forms.h"

static void team(Tally* tally, int threads, long n) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (long i = 0; i < n; i++) tally_hit(tally, i);
}

static void changing_size(const Case* run) {
    static const int kSizes[] = {1, 2, 8, 3, 1, 1, 5, 2, 2, 4, 1};
    const int executions = (int)(sizeof kSizes / sizeof kSizes[0]);
    Tally tally = tally_open(run, "team sizes 1 2 8 3 1 1 5 2 2 4 1", run->n);
    for (int k = 0; k < executions; k++) {
        team(&tally, kSizes[k], run->n);
        if (k % 3 == 0) team(&tally, run->threads, run->n);
    }
    tally_close(&tally, executions + (executions + 2) / 3);
}

static void slow_thread(const Case* run) {
    const long n = run->n;
    const int last = run->threads - 1;
    Tally entry = tally_open(run, "loop that one thread enters late", n);
    Tally after = tally_open(run, "nowait loop behind it", n);
    for (int slow = 0; slow <= last; slow += last > 0 ? last : 1) {
#pragma omp parallel num_threads(run->threads)
        {
            if (omp_get_thread_num() == slow) spin_for(300e-6);
#pragma omp for schedule(runtime) nowait
            for (long i = 0; i < n; i++) tally_hit(&entry, i);
            if (omp_get_thread_num() == last - slow) spin_for(300e-6);
#pragma omp for schedule(runtime) nowait
            for (long i = 0; i < n; i++) tally_hit(&after, i);
        }
    }
    const int times = last > 0 ? 2 : 1;
    tally_close(&entry, times);
    tally_close(&after, times);
}

static void serialized(const Case* run) {
    const long n = run->n;
    Tally tally = tally_open(run, "serialized regions", n);
    for (int round = 0; round < 3; round++) {
#pragma omp parallel if (round < 0) num_threads(run->threads)
        {
#pragma omp for schedule(runtime) nowait
            for (long i = 0; i < n; i++) tally_hit(&tally, i);
#pragma omp for schedule(runtime)
            for (int i = (int)n; i > 0; i--) tally_hit(&tally, i - 1);
        }
        team(&tally, run->threads, n);
    }
    tally_close(&tally, 9);
}

enum { kPthreads = 3, kRounds = 4 };

typedef struct Master {
    Tally* tally;
    long n;
    int threads;
} Master;

static void* run_master(void* argument) {
    const Master* const master = argument;
    for (int round = 0; round < kRounds; round++) team(master->tally, master->threads, master->n);
    return NULL;
}

// Each pthread is the first thread of teams of its own; all execute the same source loop at once.
static void from_pthreads(const Case* run) {
    Tally tally[kPthreads];
    Master master[kPthreads];
    pthread_t thread[kPthreads];
    int started = 0;
    const int threads = run->threads > 3 ? 3 : run->threads;
    for (int k = 0; k < kPthreads; k++) {
        tally[k] = tally_open(run, "loops of several pthreads", run->n);
        master[k] = (Master){&tally[k], run->n, k == 0 ? threads : 2};
    }
    while (started < kPthreads && pthread_create(&thread[started], NULL, run_master, &master[started]) == 0) started++;
    if (started < kPthreads) case_fail(run, "only %d pthreads started", started);
    for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < kPthreads; k++) tally_close(&tally[k], kRounds);
}

static const Form kForms[] = {
    {"team_sizes", changing_size, kEachN},
    {"slow_thread", slow_thread, kEachN},
    {"serialized", serialized, kEachN},
    {"pthreads", from_pthreads, kEachN},
};
FORM_TABLE(kTeamForms, kForms);
