#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that end where there is little stack, have no room for what is said, clear their environment, cannot be
moved (`-no-pie`), end while their threads run loops, or change the number of threads: they run as without Gimbal, and
are reported."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tool_test import ToolTest, main  # noqa: E402

# Ends in a thread of so many kB, or in a coroutine.
SMALL_STACK = """
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
static ucontext_t first, other;
static double row[1000];
static void *end(void *nothing) {
    exit(7);
    return nothing;
}
static void end_coroutine(void) { exit(7); }
int main(int count, char **words) {
    const size_t size = count > 2 ? (size_t)atol(words[2]) * 1024 : PTHREAD_STACK_MIN;
    for (int step = 0; step < 5; ++step) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 1000; ++i) row[i] += i;
    }
    if (strcmp(words[1], "thread") == 0) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, size);
        pthread_create(&thread, &attributes, end, NULL);
        pthread_join(thread, NULL);
    }
    getcontext(&other);
    other.uc_stack.ss_sp = malloc(size);
    other.uc_stack.ss_size = size;
    other.uc_link = &first;
    makecontext(&other, end_coroutine, 0);
    swapcontext(&first, &other);
    return 0;
}
"""

# Writes nothing itself. libomp makes a file of its own in its first region.
NO_ROOM = """
#include <sys/resource.h>
static double row[1000];
int main(void) {
    const struct rlimit none = {0, 0};
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    setrlimit(RLIMIT_FSIZE, &none);
    return 7;
}
"""

NO_ENVIRONMENT = """
#include <stdlib.h>
static double row[1000];
int main(void) {
    clearenv();
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    return 7;
}
"""

OTHER_FOLDER = """
#include <unistd.h>
static double row[1000];
int main(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    return chdir("/");
}
"""

LOOP = """
static double row[1000];
int main(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) row[i] += i;
    return 0;
}
"""


# main() returns while four other threads run loop after loop.
BESIDE_LOOPS = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static long loop(int n) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += i;
    return sum;
}
static void *loops(void *nothing) {
    for (int k = 0;; ++k) loop(100 + k * 37 % 300);
    return nothing;
}
int main(int count, char **words) {
    pthread_t thread;
    loop(100);
    for (int k = 0; k < 4; ++k) pthread_create(&thread, NULL, loops, NULL);
    usleep(20000 + 1000 * atoi(words[count - 1]));
    return 4;
}
"""

# A parallel loop in a region, as one construct: gcc passes no chunk for it.
NESTED = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int i = 0; i < 5; ++i) {
#pragma omp atomic
            ++sum;
        }
    }
    printf("%d\\n", sum);
    return 0;
}
"""

# Loops outside of any region, after the number of threads has changed.
OUTSIDE = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int seen[5] = {0}, threads = 0;
    omp_set_num_threads(4);
#pragma omp parallel reduction(+ : threads)
    ++threads;
    omp_set_num_threads(2);
    for (int turn = 0; turn < 3; ++turn) {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 5; ++i) ++seen[i];
    }
    for (int i = 0; i < 5; ++i) printf("%d ", seen[i]);
    return 0;
}
"""

# Counts iterations that come after a later one on the same thread.
ASCENDING = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int wrong = 0;
    omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 4);
    for (int turn = 0; turn < 20; ++turn) {
#pragma omp parallel reduction(+ : wrong)
        {
            int last = -1;
#pragma omp for schedule(runtime)
            for (int i = 0; i < 400; ++i) {
                wrong += i < last;
                last = i;
                for (volatile int k = 0; k < 20 * i; ++k) continue;
            }
        }
    }
    printf("%d\\n", wrong);
    return 0;
}
"""


class Edges(ToolTest):
    def test_a_program_that_ends_where_there_is_little_stack_is_reported(self):
        for compiler in self.compilers():
            program = self.build(compiler, SMALL_STACK, "-pthread", "-DSMALL_STACK")
            for place in ("thread", "coroutine"):
                for size in ("16", "64"):
                    with self.subTest(compiler=compiler, place=place, size=size):
                        done = self.preloaded(program, place, size, capture_output=True)
                        self.assertEqual(done.returncode, 7, done.stderr)
                        self.assertIn("program.c:", done.stderr)

    def test_a_file_that_has_reached_its_limit_is_no_death(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler), open(self.folder / "said", "w", encoding="utf-8") as file:
                done = self.preloaded(self.build(compiler, NO_ROOM, "-DNO_ROOM"), stdout=file, stderr=file)
                self.assertEqual(done.returncode, 7)

    def test_a_program_that_clears_its_environment_runs(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                program = self.build(compiler, NO_ENVIRONMENT, "-DNO_ENVIRONMENT")
                done = self.preloaded(program, capture_output=True)
                self.assertEqual(done.returncode, 7, done.stderr)
                self.assertIn("program.c:6 main", done.stderr)

    def test_loops_have_names_wherever_the_program_ends_and_whatever_it_was_called_by(self):
        for compiler in self.compilers():
            program = self.build(compiler, OTHER_FOLDER, "-DOTHER_FOLDER")
            loader = subprocess.run(["readelf", "-p", ".interp", program], text=True, capture_output=True, check=True)
            loader = loader.stdout.split()[-1]
            for words in ((f"./{program.name}",), (loader, f"./{program.name}"), ("sh", "-c", f"PATH=.; {program.name}")):
                with self.subTest(compiler=compiler, words=words):
                    self.assertIn("program.c:5 main", self.preloaded(*words, capture_output=True).stderr)

    def test_loops_of_a_program_that_cannot_be_moved_have_names(self):
        for compiler in self.compilers():
            for flags in (("-no-pie",), ("-pie", "-fPIE")):
                with self.subTest(compiler=compiler, flags=flags):
                    program = self.build(compiler, LOOP, *flags)
                    self.assertIn("program.c:4 main", self.preloaded(program, capture_output=True).stderr)
                    self.assertIn("program.c:4 main", self.tool("check", program).stdout)
                    ran = self.tool("run", "--loops", "program.c:4=ss,8", "--", program).stderr
                    self.assertIn("ss,8 (GIMBAL_LOOPS)", ran)

    def test_a_program_ends_while_its_threads_run_loops(self):
        for compiler in self.compilers():
            program = self.build(compiler, BESIDE_LOOPS, "-pthread", "-DBESIDE_LOOPS")
            for attempt in range(10):
                with self.subTest(compiler=compiler, attempt=attempt):
                    done = self.preloaded(program, str(attempt), capture_output=True)
                    self.assertEqual(done.returncode, 4, done.stderr)

    def test_parallel_loops_in_regions_run_where_threads_are_bound(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                program = self.build(compiler, NESTED, "-DNESTED")
                done = self.preloaded(program, capture_output=True, OMP_PROC_BIND="true")
                self.assertEqual((done.returncode, done.stdout), (0, "10\n"), done.stderr)

    def test_loops_outside_of_regions_run_once_whatever_the_number_of_threads_was(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                done = self.preloaded(self.build(compiler, OUTSIDE, "-DOUTSIDE"), capture_output=True)
                self.assertEqual(done.stdout, "3 3 3 3 3 ", done.stderr)

    def test_a_schedule_that_promises_order_keeps_it_where_a_rule_names_the_loop(self):
        for compiler in self.compilers():
            program = self.build(compiler, ASCENDING, "-DASCENDING")
            for name in ("ich", "static-steal"):
                with self.subTest(compiler=compiler, name=name):
                    done = self.preloaded(program, capture_output=True, GIMBAL_LOOPS=f"program.c={name}")
                    self.assertEqual(done.stdout, "0\n", done.stderr)

    def test_chunks_ascend_and_the_program_is_told_where_the_setting_says_monotonic(self):
        source = ASCENDING.replace("omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 4);", """
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    wrong += (kind & omp_sched_monotonic) == 0;""")
        for compiler in self.compilers():
            program = self.build(compiler, source, "-DASCENDING_AS_SET")
            for schedule in ("monotonic:static-steal,4", "monotonic:ich", "monotonic:runtime"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    done = self.preloaded(program, capture_output=True, GIMBAL_SCHEDULE=schedule)
                    self.assertEqual(done.stdout, "0\n", done.stderr)


if __name__ == "__main__":
    main()
