#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Gimbal learns and has to say takes memory. A program whose limit on address space (ulimit -v) leaves none runs
to its right end all the same."""
import pathlib
import subprocess
import unittest

import tool_test

# Leaves itself so many pages of address space more than it has.
LIMIT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
static int limit_to(long more) {
    long pages = 0;
    FILE *memory = fopen("/proc/self/statm", "r");
    if (!memory || fscanf(memory, "%ld", &pages) != 1) return 1;
    fclose(memory);
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = (rlim_t)(pages + more) * (rlim_t)sysconf(_SC_PAGESIZE);
    return setrlimit(RLIMIT_AS, &limit);
}
"""

# Does so before its loops or after them, and computes for a second if asked to.
LIMITED = LIMIT + """
static long sum = 0;
#define LOOP(name) static void name(void) { \\
    long own = 0; \\
    _Pragma("omp parallel for schedule(runtime) reduction(+ : own)") \\
    for (int i = 0; i < 1000; ++i) own += i; \\
    sum = own; }
LOOPS
int main(int count, char **words) {
    if (count < 3) return 1;
    const long more = atol(words[2]);
#pragma omp parallel reduction(+ : sum)
    sum += 1;
    if (strcmp(words[1], "before") == 0 && limit_to(more)) return 1;
    CALLS
    while (count > 3 && clock() < CLOCKS_PER_SEC) {}
    printf("sum %ld\\n", sum);
    return strcmp(words[1], "after") == 0 ? limit_to(more) : 0;
}
"""

# Takes all memory that its limit leaves, down to the last bytes.
TAKE_ALL = LIMIT + """
static int take_all(void) {
    if (limit_to(0)) return 1;
    for (size_t size = 1 << 20; size >= 16;) {
        void *block = malloc(size);
        if (block) memset(block, 1, size > 64 ? 64 : size);
        if (!block) size /= 2;
    }
    return 0;
}
"""

# Does so and goes on with loops: those that ran before, and others.
EXHAUSTED = TAKE_ALL + """
static double x[400];
#define LOOP(name) static void name(void) { \\
    _Pragma("omp parallel for schedule(runtime)") \\
    for (int i = 0; i < 400; ++i) x[i] += 1; }
LOOPS
static void (*const all[])(void) = {NAMES};
enum { N = sizeof(all) / sizeof(all[0]) };
int main(void) {
    for (int i = 0; i < 5; ++i) all[i]();
    if (take_all()) return 1;
    for (int step = 0; step < 3; ++step)
        for (int i = 0; i < N; ++i) all[i]();
    static const char done[] = "done\\n";
    return x[0] != 3 * N + 5 || x[399] != 3 * N + 5 || write(1, done, sizeof done - 1) < 0;
}
"""

# Goes on with a loop of more iterations than its type counts up to. Compilers add a whole chunk at once.
BEYOND = TAKE_ALL + """
#include <limits.h>
static long lowest = LONG_MIN, highest = LONG_MAX;
int main(void) {
    unsigned long n = 0;
#pragma omp parallel reduction(+ : n)
    n += getpid();
    if (n == 0 || take_all()) return 1;
    for (int step = 0; step < 3; ++step) {
        n = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : n)
        for (long i = lowest; i < highest; ++i) ++n;
        if (n != ULONG_MAX) return 2;
    }
    return 0;
}
"""

# Goes on with loops, too; says how often a chunk began elsewhere than at a multiple of C, or iterations did not run once.
CHUNKS = TAKE_ALL + """
#include <omp.h>
enum { LENGTH = 10000, C = 1000 };
static int owner[LENGTH], times[LENGTH];
#define LOOP(name) static void name(void) { \\
    _Pragma("omp parallel for schedule(KIND)") \\
    for (int i = 0; i < LENGTH; ++i) { owner[i] = omp_get_thread_num(); times[i] += 1; } }
LOOPS
static void (*const all[])(void) = {NAMES};
enum { N = sizeof(all) / sizeof(all[0]) };
static int runs, wrong;
static void run(int k) {
    all[k]();
    ++runs;
    int flaws = times[0] != runs;
    for (int i = 1; i < LENGTH; ++i) flaws += (owner[i] != owner[i - 1] && i % C != 0) || times[i] != runs;
    wrong += flaws > 0;
}
int main(void) {
    for (int i = 0; i < N / 2; ++i) run(i);
    if (take_all()) return 1;
    for (int step = 0; step < 3; ++step)
        for (int i = 0; i < N; ++i) run(i);
    char said[80];
    const int length = snprintf(said, sizeof said, "%d of %d loops were cut elsewhere\\n", wrong, runs);
    return write(1, said, length) != length;
}
"""


class NoMemory(tool_test.ToolTest):
    def run_limited(self, compiler, loops, when, pages, *more, libraries=(), **env):
        """@return what it wrote on standard error"""
        names = [f"loop{i}" for i in range(loops)]
        source = LIMITED.replace("LOOPS", "\n".join(f"LOOP({name})" for name in names)).replace(
            "CALLS", " ".join(f"{name}();" for name in names))
        program = self.build(compiler, source, f"-DPROGRAM={loops}")
        preloaded = [pathlib.Path(tool_test.ARGUMENTS.library).resolve(), *libraries]
        variables = tool_test.environment(LD_PRELOAD=" ".join(map(str, preloaded)), OMP_NUM_THREADS="2",
                                          GIMBAL_SCHEDULE="gss", GIMBAL_CACHE=str(self.folder / "kept"), **env)
        result = subprocess.run([program, when, str(pages), *more], env=variables, text=True, capture_output=True,
                                timeout=600)
        self.assertEqual((result.returncode, result.stdout), (0, "sum 499500\n"), result.stderr)
        return result.stderr

    def test_a_few_loops_need_no_more_than_was_there_at_the_start(self):
        for compiler in self.compilers():
            for when in ("before", "after"):
                for pages in (0, 64, 2048):
                    with self.subTest(compiler=compiler, when=when, pages=pages):
                        said = self.run_limited(compiler, 8, when, pages)
                        self.assertIn("gss", said)
                        self.assertNotIn("no memory is left", said)

    def test_what_cannot_be_reported_is_said_once(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                self.assertEqual(self.run_limited(compiler, 600, "after", 0).count("no memory is left"), 1)
                self.assertIn("gss", self.run_limited(compiler, 600, "after", 4096))

    def test_loops_run_where_nothing_is_left_at_all(self):
        for compiler in self.compilers():
            for loops in (20, 100, 600):
                names = [f"loop{i}" for i in range(loops)]
                source = EXHAUSTED.replace("LOOPS", "\n".join(f"LOOP({name})" for name in names)).replace(
                    "NAMES", ", ".join(names))
                program = self.build(compiler, source, f"-DEXHAUSTED={loops}")
                for schedule in ("auto", "gss", "static-steal"):
                    with self.subTest(compiler=compiler, loops=loops, schedule=schedule):
                        variables = tool_test.environment(
                            LD_PRELOAD=str(pathlib.Path(tool_test.ARGUMENTS.library).resolve()), OMP_NUM_THREADS="2",
                            GIMBAL_SCHEDULE=schedule, GIMBAL_CACHE=str(self.folder / f"kept-{schedule}"))
                        result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=600)
                        self.assertEqual((result.returncode, result.stdout), (0, "done\n"), result.stderr)

    def test_a_loop_of_more_iterations_than_its_type_counts_up_to(self):
        for compiler in self.compilers():
            program = self.build(compiler, BEYOND, "-O2", "-fno-builtin")
            for schedule in ("auto", "gss"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    variables = tool_test.environment(
                        LD_PRELOAD=str(pathlib.Path(tool_test.ARGUMENTS.library).resolve()), OMP_NUM_THREADS="2",
                        GIMBAL_SCHEDULE=schedule, GIMBAL_REPORT="off")
                    result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=600)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_chunk_that_was_named_stays_whole(self):
        library = str(pathlib.Path(tool_test.ARGUMENTS.library).resolve())
        for compiler in self.compilers():
            for kind, schedules in (("dynamic,C", ({"GIMBAL_LOOPS": "*=fac2"}, {"GIMBAL_LOOPS": "*=auto"})),
                                    ("runtime", ({"GIMBAL_SCHEDULE": "fac2,1000"}, {"GIMBAL_SCHEDULE": "runtime,1000"},
                                                 {"OMP_SCHEDULE": "static-steal,1000"},
                                                 {"GIMBAL_LOOPS": "*=fac2,1000"}))):
                names = [f"loop{i}" for i in range(400)]
                source = CHUNKS.replace("LOOPS", "\n".join(f"LOOP({name})" for name in names)).replace(
                    "NAMES", ", ".join(names)).replace("KIND", kind)
                program = self.build(compiler, source, f"-DCHUNKS_{kind[0]}")
                for schedule in schedules:
                    with self.subTest(compiler=compiler, kind=kind, **schedule):
                        variables = tool_test.environment(LD_PRELOAD=library, OMP_NUM_THREADS="3", GIMBAL_CACHE="off",
                                                          **schedule)
                        result = subprocess.run([program], env=variables, text=True, capture_output=True, timeout=600)
                        self.assertEqual((result.returncode, result.stdout),
                                         (0, "0 of 1400 loops were cut elsewhere\n"), result.stderr)

    def test_placement_does_without(self):
        """Whether it looks at the machine before the program ends is left to chance; a second is mostly enough."""
        pin = pathlib.Path(tool_test.ARGUMENTS.library).resolve().parent / "libgimbal_pin.so"
        if not pin.exists():
            self.skipTest("libgimbal_pin.so is not built")
        for pages in (0, 64, 512):
            with self.subTest(pages=pages):
                self.run_limited(self.compilers()[0], 8, "before", pages, "compute", libraries=[pin],
                                 GIMBAL_PIN="observe")


if __name__ == "__main__":
    tool_test.main()
