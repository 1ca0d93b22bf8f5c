// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orphaned loops: one source loop that several places, teams and tasks execute.
#include <omp.h>

#include "forms.h"

static void work(Tally* tally, long n) {
#pragma omp for schedule(runtime)
    for (long i = 0; i < n; i++) tally_hit(tally, i);
}

static void work_nowait(Tally* tally, long n) {
#pragma omp for schedule(runtime) nowait
    for (long i = n; i > 0; i--) tally_hit(tally, i - 1);
}

static void several_places(const Case* run) {
    const long n = run->n;
    Tally tally = tally_open(run, "orphaned loop from several places", n);
    work(&tally, n);  // outside every region: a team of one
#pragma omp parallel num_threads(run->threads)
    {
        work(&tally, n);
        work_nowait(&tally, n);
        work_nowait(&tally, n);
#pragma omp barrier
        work(&tally, n);
    }
#pragma omp parallel num_threads(2)
    work(&tally, n);
    work_nowait(&tally, n);
    tally_close(&tally, 7);
}

// Each thread of the team opens a region of its own with the same loop.
static void from_each_thread(const Case* run) {
    const long n = run->n > 100 ? 100 : run->n;
    Tally tally = tally_open(run, "orphaned loop, one inner team per thread", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp parallel num_threads(2)
        work(&tally, n);
    }
    tally_close(&tally, run->threads);
}

enum { kTasks = 6 };

// Tasks start regions while the threads that run them are inside a region themselves.
static void from_tasks(const Case* run) {
    const long n = run->n > 100 ? 100 : run->n;
    Tally tally = tally_open(run, "loop in a region that a task started", n);
    Tally outer = tally_open(run, "loop of the team that ran tasks", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp single nowait
        for (int task = 0; task < kTasks; task++) {
#pragma omp task shared(tally)
            {
#pragma omp parallel for schedule(runtime) num_threads(2)
                for (long i = 0; i < n; i++) tally_hit(&tally, i);
            }
        }
        work(&outer, n);
#pragma omp taskwait
        work_nowait(&outer, n);
    }
    tally_close(&tally, kTasks);
    tally_close(&outer, 2);
}

// Iterations that create tasks: the barrier after the loop runs them between its chunks.
static void creating_tasks(const Case* run) {
    const long n = run->n > 100 ? 100 : run->n;
    Tally tally = tally_open(run, "tasks created by iterations", n);
#pragma omp parallel num_threads(run->threads)
    {
#pragma omp for schedule(runtime)
        for (long i = 0; i < n; i++) {
#pragma omp task shared(tally)
            tally_hit(&tally, i);
#pragma omp taskyield
        }
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < n; i++) tally_hit(&tally, i);
    }
    tally_close(&tally, 2);
}

static const Form kForms[] = {
    {"orphan", several_places, kEachN},
    {"orphan_inner_teams", from_each_thread, kEachN},
    {"task_regions", from_tasks, kEachN},
    {"task_iterations", creating_tasks, kEachN},
};
FORM_TABLE(kOrphanForms, kForms);
