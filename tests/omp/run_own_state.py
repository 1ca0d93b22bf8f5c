#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a thread has of the program looks the same after its loops: a program that wants to end where its own arithmetic
goes wrong (feenableexcept(), -ffpe-trap of gfortran) does not end by what Gimbal computes, and finds no flags of
Gimbal's; errno is as it was; and who is to be cancelled is so where it waits itself."""
import os
import pathlib
import subprocess
import unittest

import tool_test

# Loops of several shapes and of lengths that change, long enough for predictions in the background.
TRAPPING = """
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>
#define ALL (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW)
static double a[20000];
#define LOOP(name, cost) static void name(long n, long w) { \\
    _Pragma("omp parallel for schedule(runtime)") \\
    for (long i = 0; i < n; ++i) { \\
        double x = (double)i; \\
        for (long k = 0; k < (cost); ++k) x = x * 0.5 + (double)k; \\
        a[i] = x; } }
LOOP(even, w)
LOOP(rising, 2 * w * i / n)
LOOP(of_any_length, w)
LOOP(tiny, 1)
int main(void) {
    feenableexcept(ALL);
    feclearexcept(FE_ALL_EXCEPT);
    int flags = 0;
    for (long step = 0; step < 400; ++step) {
        even(2000, 20);
        rising(3000, 40);
        of_any_length(1 + step * 37 % 3000, 10);
        tiny(step % 5, 1);
        if (step % 20 == 0) rising(20000, 60);
#pragma omp parallel reduction(| : flags)
        flags |= fetestexcept(ALL);
    }
    printf("%d %d %g\\n", fegetexcept() == ALL, flags, a[5]);
    return 0;
}
"""


# Loops of many lengths; errno of every thread before and after.
ASKING = """
#include <errno.h>
#include <stdio.h>
static double a[20011];
int main(void) {
    int changed = 0;
    for (int step = 0; step < 3000; ++step) {
        const int n = 200 + step * 37 % 20000;
#pragma omp parallel reduction(+ : changed)
        {
            errno = EDOM;
#pragma omp for schedule(runtime)
            for (int i = 0; i < n; ++i) a[i] += i;
            changed += errno != EDOM;
        }
    }
    printf("%d\\n", changed);
    return 0;
}
"""

# A thread that is to be cancelled runs loops, of a team that nobody has seen, and then ends where it looks for that.
CANCELLED = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static double a[40000];
static atomic_int stage;
static void work(int n, int threads) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 20; ++k) a[i] += k;
}
static void other(void) {
#pragma omp parallel for schedule(runtime) num_threads(3)
    for (int i = 0; i < 100; ++i) a[i] += 1;
}
static void *run(void *unused) {
#pragma omp parallel num_threads(3)
    a[0] = 1;
#ifndef NO_LOOP_BEFORE
    for (int i = 0; i < 5; ++i) work(1000, 2);
#endif
    stage = 1;
    while (stage != 2) {}
    for (int i = 0; i < 30; ++i) work(40000 - i * 37, 3);
    for (int i = 0; i < 2000; ++i) other();
    stage = 3;
    pthread_testcancel();
    return unused;
}
int main(void) {
    pthread_t thread;
    void *result = 0;
    pthread_create(&thread, 0, run, 0);
    while (stage != 1) {}
    pthread_cancel(thread);
    stage = 2;
    pthread_join(thread, &result);
    printf("%d %d\\n", result == PTHREAD_CANCELED, (int)stage);
    return 0;
}
"""

# A thread that ends between its loops when it is cancelled, eight times, beside another team.
BETWEEN = """
#include <pthread.h>
#include <stdio.h>
static long work(int n) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += i;
    return sum;
}
static void *run(void *unused) {
    for (;;) {
        work(100);
        pthread_testcancel();
    }
    return unused;
}
int main(void) {
    long sum = 0;
    for (int k = 0; k < 8; ++k) {
        pthread_t thread;
        pthread_create(&thread, 0, run, 0);
        for (int i = 0; i < 20; ++i) sum += work(300);
        pthread_cancel(thread);
        pthread_join(thread, 0);
    }
    printf("%ld\\n", sum);
    return 0;
}
"""


class OwnState(tool_test.ToolTest):
    def library(self):
        return pathlib.Path(tool_test.ARGUMENTS.library).resolve()

    def test_errno_stays(self):
        for compiler in self.compilers():
            program = self.build(compiler, ASKING, "-O1")
            for schedule in ("auto", "af", "lws-tuned"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    variables = tool_test.environment(LD_PRELOAD=str(self.library()), OMP_NUM_THREADS="2",
                                                      GIMBAL_SCHEDULE=schedule,
                                                      GIMBAL_CACHE=str(self.folder / f"{pathlib.Path(compiler).name}-{schedule}"))
                    result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=600)
                    self.assertEqual((result.returncode, result.stdout), (0, "0\n"), result.stderr)

    def test_a_thread_is_cancelled_where_it_waits_itself(self):
        for compiler in self.compilers():
            program = self.build(compiler, CANCELLED, "-O1", "-pthread")
            for number, more in enumerate(({}, {"GIMBAL_RL_DEBUG": "2", "GIMBAL_SCHEDULE": "rl"},
                                           {"GIMBAL_RECORD": "steps.csv"}, {"GIMBAL_TRACE": "run.pftrace"})):
                with self.subTest(compiler=compiler, more=more):
                    variables = tool_test.environment(LD_PRELOAD=str(self.library()), OMP_NUM_THREADS="2",
                                                      **{"GIMBAL_SCHEDULE": "auto"} | more,
                                                      GIMBAL_CACHE=str(self.folder / f"kept-{number}"))
                    result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=600,
                                            cwd=self.folder)
                    # Where there are more threads than cores, libomp waits as it does without Gimbal, in a call that
                    # ends who is cancelled.
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertIn(result.stdout, ("1 2\n", "1 3\n"), result.stderr)

    def test_a_thread_is_cancelled_before_its_loops_are_looked_up_by_name(self):
        for compiler in self.compilers():
            program = self.build(compiler, CANCELLED, "-O1", "-pthread", "-DNO_LOOP_BEFORE")
            with self.subTest(compiler=compiler):
                variables = tool_test.environment(LD_PRELOAD=str(self.library()), OMP_NUM_THREADS="2",
                                                  GIMBAL_LOOPS="other<*>=gss;other=fac2")
                result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=600)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(result.stdout, ("1 2\n", "1 3\n"), result.stderr)

    def test_a_thread_that_is_cancelled_leaves_no_team_behind(self):
        """Threads that outnumber the cores sleep while they wait for each other, in a call that ends who is
        cancelled."""
        for compiler in self.compilers():
            program = self.build(compiler, BETWEEN, "-O1", "-pthread")
            for schedule in ("auto", "fac2"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    variables = tool_test.environment(LD_PRELOAD=str(self.library()), GIMBAL_SCHEDULE=schedule,
                                                      OMP_NUM_THREADS=str(len(os.sched_getaffinity(0)) + 1))
                    result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=300)
                    self.assertEqual((result.returncode, result.stdout), (0, f"{160 * 150 * 299}\n"), result.stderr)

    def test_nothing_is_raised_and_nothing_stays(self):
        library = str(self.library())
        for compiler in self.compilers():
            program = self.build(compiler, TRAPPING, "-O1", "-Wl,--no-as-needed", "-lm")
            for schedule in ("auto", "feedback", "static-steal", "af", "maf", "awf-b", "awf-c", "awf-d", "awf-e", "bold",
                             "aid", "fac", "tap", "lws-tuned", "usched"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    variables = tool_test.environment(LD_PRELOAD=library, OMP_NUM_THREADS="2",
                                                      GIMBAL_SCHEDULE=schedule)
                    result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=600)
                    self.assertEqual((result.returncode, result.stdout.split()[:2]), (0, ["1", "0"]), result.stderr)
                    self.assertIn("even", result.stderr, "no report")


if __name__ == "__main__":
    tool_test.main()
