#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libomp 19 gets wrong outside of Gimbal's loops, libgomp gets right, and the patch repairs: taskloops and untied
tasks and scopes of GNU code, tasks of threads that end, what destructors of thread-specific data still do, and
omp_pause_resource_all() after large teams."""
import pathlib
import subprocess
import unittest

import tool_test

# Which iterations ran, of taskloops up and down, over signed and unsigned bounds.
TASKLOOPS = """
#include <stdio.h>
#include <string.h>
static int ran[400], bad;
static void check(int line, int low, int high, int step) {
    for (int i = 0; i < 400; ++i) {
        const int at = i - 200;
        bad += ran[i] != (at >= low && at <= high && (at - low) % step == 0);
    }
    if (bad) printf("line %d\\n", line);
    memset(ran, 0, sizeof ran);
}
#define LOOP(type, clause, begin, condition, next, low, high, step) \\
    _Pragma("omp parallel") _Pragma("omp single") \\
    { _Pragma(clause) for (type i = begin; condition; next) __atomic_fetch_add(&ran[(long)i + 200], 1, 0); } \\
    check(__LINE__, low, high, step);
int main(void) {
    int last = 0;
    LOOP(int, "omp taskloop num_tasks(4)", -10, i < 10, ++i, -10, 9, 1)
    LOOP(int, "omp taskloop", 20, i > 0, --i, 1, 20, 1)
    LOOP(int, "omp taskloop grainsize(3)", -20, i < -5, ++i, -20, -6, 1)
    LOOP(long, "omp taskloop num_tasks(7)", 100, i > -100, i -= 3, -98, 100, 3)
    LOOP(unsigned long long, "omp taskloop grainsize(13)", 100, i > 0, --i, 1, 100, 1)
    LOOP(unsigned long long, "omp taskloop num_tasks(7)", 3, i < 150, i += 7, 3, 149, 7)
    LOOP(unsigned, "omp taskloop", 50, i > 0, --i, 1, 50, 1)
#pragma omp parallel
#pragma omp single
#pragma omp taskloop lastprivate(last) num_tasks(5)
    for (int i = 30; i > -30; i -= 2) last = i;
    printf("%d %d\\n", bad, last);
    return 0;
}
"""

# Tied and untied tasks that wait for each other.
UNTIED = """
#include <stdio.h>
static long number(int n) {
    if (n < 2) return n;
    long a, b;
#pragma omp task shared(a) untied
    a = number(n - 1);
#pragma omp task shared(b)
    b = number(n - 2);
#pragma omp taskwait
    return a + b;
}
int main(void) {
    long sum = 0;
    for (int k = 0; k < 10; ++k) {
#pragma omp parallel
#pragma omp single
        sum += number(14);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop untied
        for (int i = 0; i < 8; ++i) {
            const long one = number(8);
#pragma omp atomic
            sum += one;
        }
    }
    printf("%ld\\n", sum);
    return 0;
}
"""

PAGES = """
#include <stdio.h>
#include <unistd.h>
static long pages(void) {
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%ld %ld", &all, &resident) != 2) _exit(3);
    fclose(file);
    return resident;
}
"""

# Threads of the program, one after the other, each with a team and tasks of its own: the sum, and
# whether the last 600 took more than a kilobyte each.
ENDING = PAGES + """
#include <pthread.h>
static void *run(void *sum) {
    long own = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 50; ++i)
#pragma omp task shared(own)
    {
#pragma omp atomic
        own += i;
    }
    *(long *)sum += own;
    return 0;
}
int main(void) {
    long sum = 0, before = 0;
    for (int k = 0; k < 1000; ++k) {
        pthread_t thread;
        pthread_create(&thread, 0, run, &sum);
        pthread_join(thread, 0);
        if (k == 400) before = pages();
    }
    printf("%ld %d\\n", sum, (pages() - before) * sysconf(_SC_PAGESIZE) > 600 * 1024);
    return 0;
}
"""

# Destructors of keys that are made after libomp has begun use locks, ask for the thread's number and run regions, twice,
# while another thread that is new runs regions. How often regions ran iterations otherwise than once, and what ran.
KEYS = """
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
enum { ROUNDS = 30, N = 1000 };
static pthread_key_t key;
static pthread_barrier_t ended, registered;
static long ran, wrong, numbers;
static void region(void) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < N; ++i) sum += 1;
#pragma omp critical
    ran += 1, wrong += sum != N;
}
static void destroy(void *left) {
    if ((long)left == 2) pthread_barrier_wait(&ended), pthread_barrier_wait(&registered);
#pragma omp critical
    numbers += omp_get_thread_num();
    region();
    if ((long)left > 1) pthread_setspecific(key, (void *)((long)left - 1));
}
static void *ends(void *unused) {
    region();
    pthread_setspecific(key, (void *)2);
    return unused;
}
static void *begins(void *unused) {
    pthread_barrier_wait(&ended);
    region();
    pthread_barrier_wait(&registered);
    for (int k = 0; k < 50; ++k) region();
    return unused;
}
int main(void) {
    region();
    pthread_key_create(&key, destroy);
    pthread_barrier_init(&ended, 0, 2);
    pthread_barrier_init(&registered, 0, 2);
    for (int k = 0; k < ROUNDS; ++k) {
        pthread_t one, other;
        pthread_create(&one, 0, ends, 0);
        pthread_create(&other, 0, begins, 0);
        pthread_join(one, 0);
        pthread_join(other, 0);
    }
    printf("%ld %ld %d\\n", wrong, numbers, ran == 1 + ROUNDS * 54);
    return 0;
}
"""

# gcc 12 and later.
SCOPES = """
#include <stdio.h>
int main(void) {
    int sum = 0, threads = 0;
    for (int k = 0; k < 50; ++k)
#pragma omp parallel
    {
#pragma omp scope reduction(+ : threads)
        ++threads;
#pragma omp scope reduction(task, + : sum)
        {
#pragma omp task in_reduction(+ : sum)
            sum += 2;
#pragma omp task in_reduction(+ : sum)
            {
                sum += 3;
#pragma omp task in_reduction(+ : sum)
                sum += 5;
            }
        }
    }
    printf("%d\\n", sum == 10 * threads);
    return 0;
}
"""

# A team beyond what the runtime has room for at first, and a pause, twice.
PAUSES = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    long sum = 0;
    for (int k = 0; k < 3; ++k) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(40)
        for (int i = 0; i < 1000; ++i) sum += i;
        if (omp_pause_resource_all(omp_pause_hard)) return 1;
    }
    printf("%ld\\n", sum);
    return 0;
}
"""


class RepairTest(tool_test.ToolTest):
    def run_program(self, program, *words, threads=3, schedule="auto", **more):
        variables = tool_test.environment(LD_PRELOAD=str(pathlib.Path(tool_test.ARGUMENTS.library).resolve()),
                                          OMP_NUM_THREADS=str(threads), GIMBAL_SCHEDULE=schedule, KMP_BLOCKTIME="0",
                                          **more)
        return subprocess.run([program, *map(str, words)], env=variables, text=True, capture_output=True, timeout=300)

    def assert_prints(self, text, result):
        self.assertEqual((result.returncode, result.stdout), (0, text), result.stderr)


class Repairs(RepairTest):
    def test_taskloops_of_gnu_code_run_what_they_are_told(self):
        program = self.build(tool_test.ARGUMENTS.gcc, TASKLOOPS, "-O1")
        for threads in (1, 2, 5):
            with self.subTest(threads=threads):
                self.assert_prints("0 -28\n", self.run_program(program, threads=threads))

    def test_taskloops_of_clang_stay_right(self):
        for compiler in self.compilers()[1:]:
            program = self.build(compiler, TASKLOOPS, "-O1")
            self.assert_prints("0 -28\n", self.run_program(program))

    def test_untied_tasks_of_gnu_code_end(self):
        program = self.build(tool_test.ARGUMENTS.gcc, UNTIED, "-O1")
        for threads in (2, 3, 4):
            with self.subTest(threads=threads):
                self.assert_prints(f"{10 * (377 + 8 * 21)}\n", self.run_program(program, threads=threads))

    def test_tasks_of_threads_that_end(self):
        for compiler in self.compilers():
            program = self.build(compiler, ENDING, "-O1", "-pthread")
            for threads in (2, 3):
                with self.subTest(compiler=compiler, threads=threads):
                    self.assert_prints(f"{1000 * 2 * 1225} 0\n", self.run_program(program, threads=threads))

    def test_destructors_of_keys_use_openmp(self):
        for compiler in self.compilers():
            program = self.build(compiler, KEYS, "-O1", "-pthread")
            for schedule in ("auto", "gss"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    self.assert_prints("0 0 1\n", self.run_program(program, schedule=schedule))

    def test_reductions_of_tasks_in_scopes(self):
        try:
            program = self.build(tool_test.ARGUMENTS.gcc, SCOPES, "-O1")
        except subprocess.CalledProcessError:
            self.skipTest("gcc does not know scope")
        for threads in (1, 3):
            with self.subTest(threads=threads):
                self.assert_prints("1\n", self.run_program(program, threads=threads))

    def test_pauses_after_large_teams(self):
        # Code of clang goes on with the thread's number of before.
        program = self.build(tool_test.ARGUMENTS.gcc, PAUSES, "-O1")
        self.assert_prints(f"{3 * 499500}\n", self.run_program(program))


if __name__ == "__main__":
    tool_test.main()
