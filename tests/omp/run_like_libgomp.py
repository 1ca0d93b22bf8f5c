#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of gcc's around the edges of OpenMP: what they had from libgomp they have from the preloaded libomp, too.
Each runs without Gimbal first."""
import glob
import os
import pathlib
import subprocess

import tool_test

# A library with a lock and a critical section in destructors, which run after those of what was preloaded.
LIBRARY = """
#include <omp.h>
#include <stdio.h>
static omp_lock_t lock;
static omp_nest_lock_t nest;
static long total;
__attribute__((constructor)) static void begin(void) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
}
void add(int n) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) {
#pragma omp critical(sums)
        total += i;
    }
}
__attribute__((destructor)) static void end(void) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_destroy_nest_lock(&nest);
    add(10);
    fprintf(stderr, "%ld\\n", total);
}
"""
USER = """
#include <stdio.h>
void add(int n);
int main(void) {
    add(100);
    printf("done\\n");
    return 0;
}
"""

# Several threads of the program begin with OpenMP at the same time: processors in all, and places.
FIRST = """
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
enum { THREADS = 6 };
static pthread_barrier_t all;
static int used[CPU_SETSIZE];
static void *begin(void *places) {
    pthread_barrier_wait(&all);
#pragma omp parallel num_threads(2)
    {
        cpu_set_t mask;
        sched_getaffinity(0, sizeof(mask), &mask);
        for (int i = 0; i < CPU_SETSIZE; ++i)
            if (CPU_ISSET(i, &mask)) __atomic_store_n(&used[i], 1, __ATOMIC_RELAXED);
    }
    *(int *)places = omp_get_num_places();
    return 0;
}
int main(void) {
    pthread_t threads[THREADS];
    int places[THREADS], processors = 0;
    pthread_barrier_init(&all, 0, THREADS);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, begin, &places[i]);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
    for (int i = 0; i < CPU_SETSIZE; ++i) processors += used[i];
    printf("%d %d\\n", processors, places[0]);
    return 0;
}
"""

# What a program hears where nobody asks for places, how nested regions are allowed, and a team that is too large.
ASKS = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    omp_set_nested(1);
    int threads = 0;
#pragma omp parallel num_threads(8)
#pragma omp single
    threads = omp_get_num_threads();
    printf("%d %d %d %d %d\\n", omp_get_num_places(), omp_get_place_num(), omp_get_partition_num_places(),
           omp_get_nested(), threads);
    return 0;
}
"""

# How large teams are after the main thread has given a processor away; chunks of the schedule in force; teams.
SIZES = """
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(void) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof(mask), &mask);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    sched_setaffinity(0, sizeof(mask), &mask);
    int threads = 0, teams = 0, chunk = 0;
    omp_sched_t kind;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp teams num_teams(5) reduction(+ : teams)
    teams += 1;
    omp_get_schedule(&kind, &chunk);
    printf("%d %d %d %d\\n", threads, teams, kind & 7, chunk);
    return 0;
}
"""

# Threads that the program cancels while they are in regions.
CANCELLED = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static long sum(int n) {
    long all = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : all)
    for (int i = 0; i < n; ++i) all += i % 5;
    return all;
}
static void *work(void *nothing) {
    for (;;) {
        sum(100);
        pthread_testcancel();
    }
    return nothing;
}
int main(void) {
    for (int round = 0; round < 30; ++round) {
        pthread_t threads[3];
        for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, 0);
        usleep(2000);
        for (int i = 0; i < 3; ++i) pthread_cancel(threads[i]);
        for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
    }
    printf("%ld\\n", sum(1000));
    return 0;
}
"""

# Ends without any of the process's last functions. Its number.
LEAVES = """
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; ++i) sum += i;
    printf("%d\\n", (int)getpid());
    fflush(stdout);
    _exit(sum == 45 ? 0 : 1);
}
"""


class LikeLibgomp(tool_test.ToolTest):
    def run_program(self, *words, library=True, **variables):
        if library:
            variables["LD_PRELOAD"] = str(pathlib.Path(tool_test.ARGUMENTS.library).resolve())
        done = subprocess.run(list(map(str, words)), env=tool_test.environment(GIMBAL_REPORT="off", **variables),
                              cwd=self.folder, text=True, capture_output=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def assert_same(self, *words, rounds=1, **variables):
        expected = self.run_program(*words, library=False, **variables)
        self.assertEqual(expected[0], 0, expected)
        for schedule in ("auto", "fac2"):
            for _ in range(rounds):
                self.assertEqual(self.run_program(*words, **{**variables, "GIMBAL_SCHEDULE": schedule}), expected)

    def build_gnu(self, source, *flags):
        return self.build(tool_test.ARGUMENTS.gcc, source, "-O1", *flags)

    def test_destructors_of_a_library_use_its_locks(self):
        (self.folder / "user.c").write_text(USER)
        self.build_gnu(LIBRARY, "-shared", "-fPIC").rename(self.folder / "libadd.so")
        for compiler in self.compilers():
            user = self.folder / "user"
            subprocess.run([compiler, "-o", user, "user.c", "-L.", "-ladd", f"-Wl,-rpath,{self.folder}"], check=True,
                           cwd=self.folder)
            self.assert_same(user, OMP_NUM_THREADS="3")

    def test_threads_that_begin_together_under_binding(self):
        program = self.build_gnu(FIRST, "-pthread")
        mine = sorted(os.sched_getaffinity(0))
        if len(mine) < 2:
            self.skipTest("one processor")
        places = ",".join(f"{{{one}}}" for one in mine[:2])
        for variables in ({"OMP_PLACES": places}, {"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "close"},
                          {"GOMP_CPU_AFFINITY": f"{mine[1]} {mine[0]}"}):
            with self.subTest(**variables):
                self.assert_same(program, rounds=15, **variables)

    def test_places_deprecated_functions_and_teams_that_are_too_large(self):
        program = self.build_gnu(ASKS)
        for variables in ({}, {"OMP_NESTED": "true"}, {"OMP_THREAD_LIMIT": "3"}):
            with self.subTest(**variables):
                self.assert_same(program, **variables)

    def test_what_libgomp_ignores_or_reads_otherwise_in_the_environment(self):
        program = self.build_gnu(SIZES)
        for variables in ({}, *({"OMP_NUM_THREADS": value} for value in ("", " ", "0", "-1", "abc", "4,-1", " 3 , 2 ")),
                          *({"OMP_SCHEDULE": value} for value in ("dynamic, 4", " DYNAMIC ,4", "static , 8 ")),
                          {"OMP_THREAD_LIMIT": "0"}, {"OMP_DYNAMIC": "1"}, {"OMP_PLACES": "{0},!{1}"}):
            with self.subTest(**variables):
                expected = self.run_program(program, library=False, **variables)
                found = self.run_program(program, **variables)
                # Without one libgomp's schedule is dynamic,1 and libomp's is static.
                words = slice(0, 4 if "OMP_SCHEDULE" in variables else 2)
                self.assertEqual((found[0], found[1].split()[words]), (0, expected[1].split()[words]), found)
                self.assertNotIn("OMP:", found[2])

    def test_threads_that_are_cancelled_while_they_sleep_at_a_barrier(self):
        program = self.build_gnu(CANCELLED, "-pthread")
        for policy in ("passive", "active"):
            with self.subTest(policy):
                self.assert_same(program, OMP_WAIT_POLICY=policy, OMP_NUM_THREADS="2")

    def test_no_room_for_a_file_of_any_size(self):
        program = self.build_gnu(ASKS)
        for blocks in (0, 1):
            with self.subTest(blocks):
                self.assert_same("sh", "-c", f'ulimit -f {blocks}; "$@" | cat', "sh", program)

    def test_processes_leave_no_page_behind(self):
        for compiler in self.compilers():
            status, out, err = self.run_program(self.build(compiler, LEAVES, "-O1"))
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(glob.glob(f"/dev/shm/__KMP_REGISTERED_LIB_{int(out)}_*"), [])


if __name__ == "__main__":
    tool_test.main()
