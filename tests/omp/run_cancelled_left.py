#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What cancelled constructs leave behind in their team, and libomp 19 goes on with: barriers that a thread has not left
yet or never comes to, doacross loops that not all threads began, the request itself inside of `teams`, and sections as
other compilers than gcc and clang make them."""
import tool_test
from run_repairs import PAGES, RepairTest


# Something is cancelled right behind a barrier: the region by all threads (0), by one while others run more loops (1) or
# are at a cancellation point (2), by one whose others come to no barrier any more (3), with tasks at the barriers (4); or
# the next loop (5). Then a region with barriers. How many of these went wrong.
BARRIERS = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
static void linger(int most) { for (volatile int k = 0; k < most; ++k) {} }
static void region(int kind, int round) {
#pragma omp parallel
    {
        const int cancels = kind == 0 || round % omp_get_num_threads() == omp_get_thread_num();
        for (int k = 0; k < 6; ++k) {
            if (kind == 4) {
#pragma omp single
                for (int task = 0; task < 8; ++task) {
#pragma omp task
                    linger(round % 7 * 10);
                }
            }
            if (kind != 3) {
#pragma omp for schedule(runtime)
                for (int i = 0; i < 20; ++i) {
                    if (kind == 5 && i == round % 3) {
#pragma omp cancel for
                    }
                }
            }
            if (cancels && kind != 5 && k == round % 4) {
#pragma omp cancel parallel
            }
            if (kind == 2) {
#pragma omp cancellation point parallel
            }
        }
    }
}
int main(int count, char **words) {
    const int kind = count > 1 ? atoi(words[1]) : 0;
    int wrong = 0;
    for (int round = 0; round < 300; ++round) {
        region(kind, round);
        long ran = 0;
#pragma omp parallel reduction(+ : ran)
        for (int k = 0; k < 3; ++k) {
#pragma omp for schedule(runtime)
            for (int i = 0; i < 100; ++i) ++ran;
#pragma omp barrier
        }
        wrong += ran != 300;
    }
    printf("%d\\n", wrong);
    return 0;
}
"""

# A doacross loop whose sums are right only if each iteration waits for the one before; then a region that one thread
# cancels before a doacross loop that the other runs. Again and again, or each time in a thread of the program that ends
# then. How many sums were wrong, and whether the last rounds took more than a megabyte.
DOACROSS = PAGES + """
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
enum { N = 20000, ROUNDS = 1200 };
static long sums[61];
static void *one(void *unused) {
    (void)unused;
    for (int i = 1; i <= 60; ++i) sums[i] = 0;
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(runtime)
    for (int i = 1; i <= 60; ++i) {
        for (volatile int k = 0; k < i % 7 * 30; ++k) {}
#pragma omp ordered depend(sink : i - 1)
        sums[i] = sums[i - 1] + i;
#pragma omp ordered depend(source)
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
        }
#pragma omp for ordered(1) schedule(runtime) nowait
        for (int i = 1; i <= N; ++i) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
        }
#pragma omp cancellation point parallel
    }
    return NULL;
}
int main(int count, char **words) {
    (void)words;
    int wrong = 0;
    long before = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        if (round == ROUNDS / 4) before = pages();
        pthread_t thread;
        if (count < 2) one(NULL);
        else if (pthread_create(&thread, NULL, one, NULL) || pthread_join(thread, NULL)) return 1;
        wrong += sums[60] != 60 * 61 / 2;
    }
    printf("%d %d\\n", wrong, (pages() - before) * sysconf(_SC_PAGESIZE) > 1024 * 1024);
    return 0;
}
"""

# Regions inside of `teams`: each second one is cancelled. How many iterations the others ran, and in how many of their
# threads something of theirs was skipped.
TEAMS = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    long ran = 0, skipped = 0;
#pragma omp teams num_teams(2) reduction(+ : ran, skipped)
    for (int round = 0; round < 40; ++round) {
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == round % 4) {
#pragma omp cancel parallel
            }
#pragma omp for schedule(runtime)
            for (int i = 0; i < 100; ++i) {}
#pragma omp cancellation point parallel
        }
#pragma omp parallel num_threads(2) reduction(+ : ran, skipped)
        {
            ++skipped;
#pragma omp for schedule(runtime)
            for (int i = 0; i < 100; ++i) ++ran;
#pragma omp cancellation point parallel
#pragma omp barrier
            if (omp_get_num_threads() > 2) { // never; without it the barrier is none that is cancelled
#pragma omp cancel parallel
            }
            --skipped;
        }
    }
    printf("%ld %ld\\n", ran, skipped);
    return 0;
}
"""

# Sections by functions that neither gcc nor clang calls, cancelled by one thread while others are at a cancellation
# point or find none left; then a loop.
SECTIONS = """
#include <stdio.h>
#define FUNCTION(result, name, ...) result name(__VA_ARGS__); _Pragma(TEXT(weak name))
#define TEXT(words) #words
FUNCTION(int, __kmpc_global_thread_num, void *)
FUNCTION(int, __kmpc_sections_init, void *, int)
FUNCTION(int, __kmpc_next_section, void *, int, int)
FUNCTION(void, __kmpc_end_sections, void *, int)
FUNCTION(int, __kmpc_cancel, void *, int, int)
FUNCTION(int, __kmpc_cancellationpoint, void *, int, int)
FUNCTION(int, __kmpc_cancel_barrier, void *, int)
enum { SECTIONS = 3 };
static void some(int thread, int number) {
    __kmpc_sections_init(NULL, thread);
    for (int k; (k = __kmpc_next_section(NULL, thread, 4)) >= 0 && k < 4;) {
        for (volatile int i = 0; i < number % 5 * 100; ++i) {}
        if (k == number % 4 && __kmpc_cancel(NULL, thread, SECTIONS)) break;
        if (__kmpc_cancellationpoint(NULL, thread, SECTIONS)) break;
    }
    __kmpc_end_sections(NULL, thread);
    __kmpc_cancel_barrier(NULL, thread);
}
int main(void) {
    long ran = 0;
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel
        {
            const int thread = __kmpc_global_thread_num(NULL);
            for (int k = 0; k < 20; ++k) some(thread, round + k);
#pragma omp for schedule(runtime)
            for (int i = 0; i < 100; ++i) __atomic_fetch_add(&ran, 1, 0);
        }
    }
    printf("%ld\\n", ran);
    return 0;
}
"""


class CancelledLeft(RepairTest):
    def test_cancelling_behind_a_barrier(self):
        for compiler in self.compilers():
            program = self.build(compiler, BARRIERS, "-O1")
            for kind in range(6):
                for threads in (2, 4):
                    for schedule, own in (("gss", "static"), ("", "dynamic,1")):
                        with self.subTest(compiler=compiler, kind=kind, threads=threads, schedule=schedule, own=own):
                            self.assert_prints("0\n", self.run_program(program, kind, threads=threads,
                                                                       schedule=schedule, OMP_SCHEDULE=own,
                                                                       OMP_CANCELLATION="true"))

    def test_doacross_loops_after_those_that_a_cancelled_region_left(self):
        for compiler in self.compilers():
            program = self.build(compiler, DOACROSS, "-O1", "-pthread")
            for words in ((), ("threads",)):
                for schedule, own in (("gss", "static"), ("", "dynamic,1")):
                    with self.subTest(compiler=compiler, words=words, schedule=schedule, own=own):
                        self.assert_prints("0 0\n", self.run_program(program, *words, threads=2, schedule=schedule,
                                                                     OMP_SCHEDULE=own, OMP_CANCELLATION="true"))

    def test_regions_of_teams_after_one_that_was_cancelled(self):
        for compiler in self.compilers():
            program = self.build(compiler, TEAMS, "-O1")
            for schedule, own in (("gss", "static"), ("", "dynamic,1")):
                with self.subTest(compiler=compiler, schedule=schedule, own=own):
                    self.assert_prints("8000 0\n", self.run_program(program, schedule=schedule, OMP_SCHEDULE=own,
                                                                    OMP_CANCELLATION="true",
                                                                    KMP_TEAMS_THREAD_LIMIT="16"))

    def test_loops_after_cancelled_sections_of_other_compilers(self):
        for compiler in self.compilers():
            program = self.build(compiler, SECTIONS, "-O1")
            for threads in (2, 4):
                for schedule in ("gss", ""):
                    with self.subTest(compiler=compiler, threads=threads, schedule=schedule):
                        self.assert_prints("2000\n", self.run_program(program, threads=threads, schedule=schedule,
                                                                      OMP_CANCELLATION="true"))


if __name__ == "__main__":
    tool_test.main()
