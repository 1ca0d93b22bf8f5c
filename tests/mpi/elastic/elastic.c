// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that lend cores, in programs that know nothing of it. usage: elastic WHAT; run_elastic.py says what must come.
// Rank 0 has work, the others wait for it in MPI. Iterations sleep, so that one core is as good as two.
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMax = 64, kSteps = 24 };

static int rank;
static int runs[kMax];  // of every iteration
static int failures;
static cpu_set_t inherited;        // before MPI_Init
static pthread_barrier_t meeting;  // of main and bound_thread()

static void sleep_us(long us) {
    const struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static void ran(int i) {
#pragma omp atomic
    ++runs[i];
}

// Every iteration of n once since the last look, and no other.
static void check(const char* what, int n) {
    for (int i = 0; i < kMax; ++i) {
        const int wanted = i < n;
        if (runs[i] != wanted) {
            if (failures++ == 0) printf("rank %d: %s: iteration %d ran %d times\n", rank, what, i, runs[i]);
        }
        runs[i] = 0;
    }
}

static void check_that(int holds, const char* what) {
    if (!holds && failures++ == 0) printf("rank %d: %s does not hold\n", rank, what);
}

static void simple(int n) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
        sleep_us(300);
        ran(i);
    }
    check("simple", n);
}

static void several_loops(int n) {
    long sum = 0;
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < n; ++i) {
            sleep_us(200);
            ran(i);
        }
#pragma omp for schedule(runtime) reduction(+ : sum)
        for (long i = n - 1; i >= 0; --i) {
            sleep_us(100);
            sum += i;
        }
    }
    check("several loops", n);
    check_that(sum == (long)n * (n - 1) / 2, "the sum of a reduction");
}

static void last_value(int n) {
    int last = -1;
#pragma omp parallel for schedule(runtime) lastprivate(last)
    for (int i = 0; i < n; ++i) {
        sleep_us(200);
        ran(i);
        last = i;
    }
    check("lastprivate", n);
    check_that(n == 0 || last == n - 1, "the value after the last iteration");
}

static void in_order(int n) {
    int next = 0;
#pragma omp parallel for schedule(runtime) ordered
    for (int i = 0; i < n; ++i) {
        sleep_us(100);
#pragma omp ordered
        {
            check_that(next == i, "the order of an ordered loop");
            ++next;
        }
        ran(i);
    }
    check("ordered", n);
}

static void cancelled(int n) {
#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < n; ++i) {
            sleep_us(200);
            if (i == n / 2) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
            ran(i);
        }
    }
    for (int i = 0; i < kMax; ++i) {
        check_that(runs[i] <= 1, "an iteration of a cancelled loop ran at most once");
        runs[i] = 0;
    }
}

static void inner_teams(int n) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
        sleep_us(200);
        int threads = 0;
#pragma omp parallel reduction(+ : threads)
        ++threads;
        check_that(threads >= 1, "an inner team");
        ran(i);
    }
    check("inner teams", n);
}

static void shapes(void) {
    static const int lengths[] = {40, 0, 1, 2, 3, 40};
    for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); ++k) {
        simple(lengths[k]);
        several_loops(lengths[k]);
        last_value(lengths[k]);
        in_order(lengths[k]);
        cancelled(lengths[k]);
        inner_teams(lengths[k]);
    }
}

// Programs take one number of threads for another, and share work and memory out by it.
static void numbers(int n) {
    const int told = omp_get_max_threads();
    long* const parts = calloc((size_t)told, sizeof *parts);
    long sum = 0;
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
        sleep_us(200);
        if (omp_get_thread_num() < told) parts[omp_get_thread_num()] += i;
        check_that(omp_get_thread_num() < told, "memory for every thread");
        ran(i);
    }
    for (int t = 0; t < told; ++t) sum += parts[t];
    check("numbers", n);
    check_that(sum == (long)n * (n - 1) / 2, "the sum over threads");
#pragma omp parallel
    {
        const int mine = omp_get_thread_num();
        sleep_us(2000);
        for (int i = mine * n / told; i < (mine + 1) * n / told; ++i) ran(i);
        check_that(omp_get_num_threads() == told, "as many threads as were told");
    }
    check("parts by numbers", n);
    free(parts);
}

// The same by levels, also from inside of an inner region.
static void levels(int n) {
    const int told = omp_get_max_threads();
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
        sleep_us(200);
        check_that(omp_get_ancestor_thread_num(1) < told, "memory for every thread of level 1");
        ran(i);
    }
    check("numbers by level", n);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
        sleep_us(200);
#pragma omp parallel if (0)
        check_that(omp_get_team_size(1) == told, "as many threads of level 1 as were told");
        ran(i);
    }
    check("numbers by level in an inner region", n);
}

// A region that has surplus workers before its code asks how many there are.
static void late(int n) {
    static int calls = 0;
    const int asks = ++calls % 12 == 0;
    const int told = omp_get_max_threads();
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
        sleep_us(200);
        if (asks && i % 2 == 0) check_that(omp_get_num_threads() == told, "as many threads as were told, asked late");
        if (asks && i % 2 == 1) check_that(omp_get_team_size(1) == told, "as many of level 1 as were told, asked late");
        ran(i);
    }
    check("numbers that are asked for late", n);
}

// What a program may see of its teams.
static void sizes(void) {
    check_that(omp_get_max_threads() == 1, "the rank's own threads are what is told");
    check_that(!omp_get_dynamic(), "teams are as large as was told");
    int named = 0, own = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    named = omp_get_num_threads();
    check_that(named == 2, "num_threads(2)");
#pragma omp parallel
    {
#pragma omp single
        own = omp_get_num_threads();
        sleep_us(3000);
    }
    check_that(own == 1, "a region that is no loop has the rank's own threads");
}

static void child(void) {
    const pid_t pid = fork();
    if (pid == 0) {
        simple(10);
        _exit(failures);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    check_that(status == 0, "a loop in a child");
}

// A team that the program asked for by number has the main thread's cores only, wherever threads roamed before.
static void masks(void) {
    cpu_set_t own;
    sched_getaffinity(0, sizeof own, &own);
    int same = 0, team = 0;
#pragma omp parallel num_threads(2) reduction(+ : same)
    {
        cpu_set_t here;
        sched_getaffinity(0, sizeof here, &here);
        same += CPU_EQUAL(&own, &here) ? 1 : 0;
#pragma omp single
        team = omp_get_num_threads();
    }
    check_that(team == 2 && same == team, "threads asked for by number run on the rank's own cores");
}

static cpu_set_t mine(void) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

// Programs that a rank starts may run where the rank might before MPI_Init.
static void programs(void) {
    char command[128];
    snprintf(command, sizeof command, "test $(env -u OMP_NUM_THREADS nproc) -eq %d", CPU_COUNT(&inherited));
    const cpu_set_t before = mine();
    check_that(CPU_COUNT(&before) < CPU_COUNT(&inherited) || CPU_COUNT(&inherited) == 1,
               "a rank has a core of its own");
    check_that(system(command) == 0, "a program of system() has all processors");
    const pid_t child = fork();
    if (child == 0) {
        const cpu_set_t has = mine();
        _exit(CPU_EQUAL(&has, &inherited) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    check_that(status == 0, "a child of fork() has all processors");
    const cpu_set_t after = mine();
    check_that(CPU_EQUAL(&before, &after), "the rank keeps its core");
}

// A thread that binds itself to the very core that its rank has.
static void* bound_thread(void* unused) {
    (void)unused;
    const cpu_set_t wish = mine();
    sched_setaffinity(0, sizeof wish, &wish);
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);  // MPI has ended
    const cpu_set_t has = mine();
    check_that(CPU_EQUAL(&has, &wish), "what a thread has set itself stays when MPI ends");
    return NULL;
}

static void step(const char* what) {
    if (strcmp(what, "lend") == 0) simple(40);
    if (strcmp(what, "shapes") == 0) shapes();
    if (strcmp(what, "sizes") == 0) sizes();
    if (strcmp(what, "numbers") == 0) {
        simple(40);
        numbers(40);
    }
    if (strcmp(what, "levels") == 0) levels(40);
    if (strcmp(what, "late") == 0) late(40);
    if (strcmp(what, "masks") == 0) {
        simple(40);
        masks();
    }
    if (strcmp(what, "fork") == 0) {
        simple(40);
        child();
    }
    if (strcmp(what, "programs") == 0) programs();
}

int main(int argc, char** argv) {
    int provided = 0, all = 0;
    pthread_t thread;
    inherited = mine();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* const what = argc > 1 ? argv[1] : "lend";
    const int binds = strcmp(what, "bound") == 0;
    if (binds) {
        pthread_barrier_init(&meeting, NULL, 2);
        pthread_create(&thread, NULL, bound_thread, NULL);
        pthread_barrier_wait(&meeting);
    }
    for (int i = 0; i < kSteps; ++i) {
        if (rank == 0) step(what);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    // Roles change: who lent computes.
    for (int i = 0; i < kSteps; ++i) {
        if (rank != 0) step(what);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %s %s\n", rank, what, all == 0 ? "right" : "wrong");
    if (strcmp(what, "masks") == 0) simple(40);
    MPI_Finalize();
    if (strcmp(what, "masks") == 0) masks();
    if (binds) {
        pthread_barrier_wait(&meeting);
        pthread_join(thread, NULL);
    }
    return all != 0 || failures != 0;
}
