#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp_set_schedule() inside of regions: the whole team runs each loop by one schedule, whichever thread has set one,
and each iteration once."""
import pathlib
import subprocess
import unittest

import tool_test

# Regions in which one thread alone sets a schedule, sooner or later than the other comes to the same loop: which one
# the loop has is not said, but all its threads have it. How many iterations did not run once.
SET_BY_ONE = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
enum { ITERATIONS = 300, ROUNDS = 30 };
static int ran[ROUNDS][2][ITERATIONS];
int main(int count, char **words) {
    const int delay = count > 1 ? atoi(words[1]) : 0;
    int wrong = 0;
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel
        {
            const int number = omp_get_thread_num();
            for (volatile int k = 0; k < (number + round) % 3 * delay; ++k) {}
            if (number == round % 2) omp_set_schedule(round % 3 ? omp_sched_dynamic : omp_sched_static, 4);
            for (int loop = 0; loop < 2; ++loop) {
#pragma omp for schedule(runtime) nowait
                for (int i = 0; i < ITERATIONS; ++i) __atomic_fetch_add(&ran[round][loop][i], 1, 0);
            }
        }
    }
    for (int k = 0; k < ROUNDS * 2 * ITERATIONS; ++k) wrong += (&ran[0][0][0])[k] != 1;
    printf("%d\\n", wrong);
    return 0;
}
"""

# All but one thread have run their loops, and wait at the end of the region, before that one sets a schedule, then runs
# the same loops (as many as libomp lets threads be apart); then another region. How many iterations did not run once.
LEFT = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { ITERATIONS = 300, LOOPS = 7 };
static int ran[3][LOOPS][ITERATIONS];
static int through;
static void run(int round) {
    for (int loop = 0; loop < LOOPS; ++loop) {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < ITERATIONS; ++i) __atomic_fetch_add(&ran[round][loop][i], 1, 0);
    }
}
int main(int count, char **words) {
    const int late = count > 1 ? atoi(words[1]) : 0;
    int wrong = 0;
#pragma omp parallel
    run(0);
#pragma omp parallel
    {
        if (omp_get_thread_num() == late) {
            while (__atomic_load_n(&through, 2) < omp_get_num_threads() - 1) usleep(1000);
            usleep(20000);
            omp_set_schedule(omp_sched_static, 4);
        }
        run(1);
        __atomic_fetch_add(&through, 1, 3);
    }
#pragma omp parallel
    run(2);
    for (int k = 0; k < 3 * LOOPS * ITERATIONS; ++k) wrong += (&ran[0][0][0])[k] != 1;
    printf("%d\\n", wrong);
    return 0;
}
"""

# All threads set static, whose chunks go around, after a region with loops. How many went to another thread.
ALL_SET = """
#include <omp.h>
#include <stdio.h>
enum { ITERATIONS = 60, LOOPS = 5 };
static int by[LOOPS][ITERATIONS];
int main(void) {
    int wrong = 0, threads = 1;
    for (int round = 0; round < 3; ++round) {
#pragma omp parallel
        for (int loop = 0; loop < 4; ++loop) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < ITERATIONS; ++i) by[loop][i] = 0;
        }
    }
#pragma omp parallel
    {
        omp_set_schedule(omp_sched_static, 1);
        threads = omp_get_num_threads();
        for (int loop = 0; loop < LOOPS; ++loop) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < ITERATIONS; ++i) by[loop][i] = omp_get_thread_num();
        }
    }
    for (int k = 0; k < LOOPS * ITERATIONS; ++k) wrong += (&by[0][0])[k] != k % ITERATIONS % threads;
    printf("%d\\n", wrong);
    return 0;
}
"""

# A team runs a loop; then a team of another thread sets the first schedule; then a thread of the former one does.
TWO_TEAMS = """
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { ITERATIONS = 300, LOOPS = 9 };
static int ran[LOOPS][ITERATIONS];
static int through, set;
static void await(const int *flag) { while (!__atomic_load_n(flag, 2)) usleep(1000); }
static void *other(void *unused) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            await(&set);
            omp_set_schedule(omp_sched_static, 4);
        }
        for (int loop = 0; loop < LOOPS; ++loop) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < ITERATIONS; ++i) __atomic_fetch_add(&ran[loop][i], 1, 0);
            if (loop == 0 && omp_get_thread_num() == 1) {
                __atomic_store_n(&through, 1, 3);
                await(&set);
            }
        }
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    int wrong = 0;
    pthread_create(&thread, 0, other, 0);
    await(&through);
#pragma omp parallel num_threads(2)
    omp_set_schedule(omp_sched_dynamic, 2);
    __atomic_store_n(&set, 1, 3);
    pthread_join(thread, 0);
    for (int k = 0; k < LOOPS * ITERATIONS; ++k) wrong += (&ran[0][0])[k] != 1;
    printf("%d\\n", wrong);
    return 0;
}
"""


# One thread sets another chunk, or another promise, than the other has; or all set the same chunk, which stays
# together. How many iterations did not run once, or not by the thread that ran the one before in the chunk.
NAMED = """
#include <omp.h>
#include <stdio.h>
#include <string.h>
enum { ITERATIONS = 300, ROUNDS = 500, CHUNK = 4 };
static int ran[ITERATIONS], by[ITERATIONS];
int main(int count, char **words) {
    const char *who = count > 1 ? words[1] : "all";
    const int one = strcmp(who, "all") != 0;
    const unsigned modifier = strcmp(who, "monotonic") == 0 ? omp_sched_monotonic : 0;
    int wrong = 0;
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel num_threads(2)
        {
            const int number = omp_get_thread_num();
            if (!one || number == 0)
                omp_set_schedule((omp_sched_t)(omp_sched_dynamic | modifier), modifier ? 1 : CHUNK);
            if (number == 0) for (volatile int k = 0; k < 2000; ++k) {}
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < ITERATIONS; ++i) {
                __atomic_fetch_add(&ran[i], 1, 0);
                by[i] = number;
            }
        }
        for (int i = 0; i < ITERATIONS; ++i) {
            wrong += ran[i] != 1 || (!one && by[i] != by[i - i % CHUNK]);
            ran[i] = 0;
        }
    }
    printf("%d\\n", wrong);
    return 0;
}
"""


class SetInRegion(tool_test.ToolTest):
    def run_program(self, program, *words, threads=2, schedule="gss", **more):
        variables = tool_test.environment(LD_PRELOAD=str(pathlib.Path(tool_test.ARGUMENTS.library).resolve()),
                                          OMP_NUM_THREADS=str(threads), GIMBAL_SCHEDULE=schedule, KMP_BLOCKTIME="0",
                                          **more)
        return subprocess.run([program, *map(str, words)], env=variables, text=True, capture_output=True, timeout=300)

    def assert_no_wrong(self, result):
        self.assertEqual((result.returncode, result.stdout), (0, "0\n"), result.stderr)

    def test_one_thread_sets(self):
        for compiler in self.compilers():
            program = self.build(compiler, SET_BY_ONE, "-O1")
            for schedule in ("gss", "ss", "static"):
                for delay in (0, 100, 1000, 5000):
                    for _ in range(4):
                        with self.subTest(compiler=compiler, schedule=schedule, delay=delay):
                            self.assert_no_wrong(self.run_program(program, delay, schedule=schedule))

    def test_one_thread_sets_when_the_others_have_left(self):
        patterns = ("hyper,hyper", "linear,linear", "tree,tree", "hierarchical,hierarchical")
        for compiler in self.compilers():
            program = self.build(compiler, LEFT, "-O1")
            for pattern in patterns:
                for threads, late in ((2, 0), (2, 1), (3, 0), (3, 2), (6, 5)):
                    with self.subTest(compiler=compiler, pattern=pattern, threads=threads, late=late):
                        self.assert_no_wrong(self.run_program(program, late, threads=threads,
                                                              KMP_FORKJOIN_BARRIER_PATTERN=pattern))

    def test_a_thread_of_another_team_sets_after_the_first_ones(self):
        for compiler in self.compilers():
            program = self.build(compiler, TWO_TEAMS, "-O1", "-pthread")
            for schedule in ("gss", "static"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    self.assert_no_wrong(self.run_program(program, schedule=schedule))

    def test_loops_that_a_rule_names(self):
        for compiler in self.compilers():
            program = self.build(compiler, NAMED, "-O1")
            for rule in ("runtime", "tss", "fac2", "gss"):
                for who in ("one", "monotonic", "all"):
                    with self.subTest(compiler=compiler, rule=rule, who=who):
                        self.assert_no_wrong(self.run_program(program, who, schedule="auto",
                                                              GIMBAL_LOOPS=f"*={rule}"))

    def test_what_all_threads_set_counts_from_the_next_loop(self):
        for compiler in self.compilers():
            program = self.build(compiler, ALL_SET, "-O1")
            for threads in (1, 2, 3, 6):
                for _ in range(4):
                    with self.subTest(compiler=compiler, threads=threads):
                        self.assert_no_wrong(self.run_program(program, threads=threads))


if __name__ == "__main__":
    tool_test.main()
