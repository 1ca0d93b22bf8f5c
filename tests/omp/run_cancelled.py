#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and regions that are cancelled, and what runs after them: libomp 19 ends the process, hangs or loses iterations
there, libgomp does not, and the patch repairs it."""
import tool_test
from run_repairs import PAGES, RepairTest


# Sections and loops of which some threads leave by cancellation, a region of its own each or many in one; then loops.
CANCELLED = """
#include <stdio.h>
#include <stdlib.h>
static void linger(int most) { for (volatile int k = 0; k < most; ++k) {} }
static void some_sections(int number) {
#pragma omp sections
    {
#pragma omp section
        {
            if (number % 3) linger(200);
#pragma omp cancel sections
        }
#pragma omp section
        {
            linger(number % 5 * 300);
#pragma omp cancellation point sections
        }
    }
}
#define LOOP(name, type, clause) static void name(void) { \\
    _Pragma(clause) for (type i = 0; i < 100; ++i) \\
        if (i == 99) { linger(20000); _Pragma("omp cancel for") } }
LOOP(some_loop, int, "omp for schedule(dynamic)")
LOOP(long_loop, long, "omp for schedule(nonmonotonic: dynamic)")
LOOP(guided_loop, long, "omp for schedule(guided)")
static void one(int kind, int number) {
    if (kind == 0) some_sections(number);
    if (kind == 1) some_loop();
    if (kind == 2) long_loop();
    if (kind == 3) guided_loop();
}
int main(int count, char **words) {
    const int kind = count > 1 ? atoi(words[1]) : 0;
    int wrong = 0;
    for (int round = 0; round < 60; ++round) {
#pragma omp parallel
        for (int k = 0; k < (round % 4 == 0 ? 20 : 1); ++k) one(kind, round + k);
        long runs = 0;
#pragma omp parallel
        {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 100; ++i) __atomic_fetch_add(&runs, 1, 0);
#pragma omp for schedule(dynamic) nowait
            for (long i = 0; i < 100; ++i) __atomic_fetch_add(&runs, 1, 0);
#pragma omp for schedule(runtime)
            for (int i = 0; i < 100; ++i) __atomic_fetch_add(&runs, 1, 0);
        }
        wrong += runs != 300;
    }
    printf("%d\\n", wrong);
    return 0;
}
"""

# A team of one, also inside of another region: constructs that are cancelled, each kind before each kind that could be.
# How many of these ran other than their 100 iterations, or their section.
ALONE = """
#include <stdio.h>
static volatile int never;
static int one(int kind, int last) {
    int ran = 0;
#define LOOP(clause) \\
    _Pragma(clause) for (int i = 0; i < 100; ++i) { \\
        _Pragma("omp cancellation point for") \\
        if (i == last) { _Pragma("omp cancel for") } \\
        ++ran; }
    if (kind == 0) { LOOP("omp for schedule(runtime)") }
    if (kind == 1) { LOOP("omp for schedule(static)") }
    if (kind == 2) { LOOP("omp for schedule(dynamic)") }
    if (kind == 3) {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancellation point sections
                if (last >= 0) {
#pragma omp cancel sections
                }
                ran = 100;
            }
        }
    }
    return ran;
}
static int all(void) {
    int wrong = 0;
    for (int first = 0; first < 4; ++first) {
        for (int then = 0; then < 4; ++then) {
#pragma omp parallel num_threads(1) reduction(+ : wrong)
            {
                one(first, 1);
                wrong += one(then, -1) != 100;
#pragma omp parallel num_threads(1)
                {
#pragma omp cancel parallel
                }
                wrong += one(then, -1) != 100;
            }
        }
    }
    return wrong;
}
int main(void) {
    int wrong = all();
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += all();
    one(0, 1);
    wrong += one(0, -1) != 100;
    printf("%d\\n", wrong);
    return 0;
}
"""

# One thread cancels the region, others the loop or the sections that they are in, at the same time or before; nobody
# goes on where it has cancelled anything. Then a loop of the next region.
BOTH = """
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
static int beyond;
int main(void) {
    long ran = 0;
    for (int round = 0; round < 60; ++round) {
#pragma omp parallel
        {
            const int number = omp_get_thread_num();
            if (number == 0) {
                usleep(round % 6 * 200);
#pragma omp cancel parallel
                __atomic_fetch_add(&beyond, 1, 0);
            }
            if (round % 2) {
#pragma omp for schedule(runtime)
                for (int i = 0; i < 400; ++i) {
                    if (i % 20 == 0) usleep(100);
#pragma omp cancellation point for
                    if (number == 1 && i >= round * 3) {
#pragma omp cancel for
                        __atomic_fetch_add(&beyond, 1, 0);
                    }
                }
            } else {
#pragma omp sections
                {
#pragma omp section
                    {
                        usleep(round * 5);
#pragma omp cancellation point sections
                        if (number == 1) {
#pragma omp cancel sections
                            __atomic_fetch_add(&beyond, 1, 0);
                        }
                    }
#pragma omp section
                    {
                        usleep(round * 10);
#pragma omp cancellation point sections
                    }
                }
            }
#pragma omp cancellation point parallel
        }
#pragma omp parallel for schedule(runtime) reduction(+ : ran)
        for (int i = 0; i < 100; ++i) ++ran;
    }
    printf("%ld %d\\n", ran, beyond);
    return 0;
}
"""

# One thread asks that the loop be cancelled, then the region, while the other is at a cancellation point of the loop and
# may be about to leave it. How often the first went on in a region that was cancelled.
AT_ONCE = """
#include <omp.h>
#include <stdio.h>
#pragma weak __kmpc_cancel
#pragma weak __kmpc_global_thread_num
int __kmpc_cancel(void *where, int thread, int kind);
int __kmpc_global_thread_num(void *where);
enum { THE_LOOP = 2 };
static volatile int never = -1;
int main(void) {
    int beyond = 0;
    for (int round = 0; round < 1000; ++round) {
        int begun = 0;
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0) {
                while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) {}
                __kmpc_cancel(NULL, __kmpc_global_thread_num(NULL), THE_LOOP);
                for (volatile int k = 0; k < round % 64; ++k) {}
#pragma omp cancel parallel
                __atomic_fetch_add(&beyond, 1, __ATOMIC_RELAXED);
            }
#pragma omp for schedule(runtime)
            for (int i = 0; i < 2000; ++i) {
                __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
#pragma omp cancellation point for
                if (i == never) { // clang leaves the point out of loops without it
#pragma omp cancel for
                }
            }
#pragma omp cancellation point parallel
        }
    }
    printf("%d\\n", beyond);
    return 0;
}
"""

# Regions that one thread cancels before loops that others run; then loops. How many went wrong, and whether the last
# 1600 rounds took more than a megabyte.
REGIONS = PAGES + """
#include <omp.h>
int main(void) {
    int wrong = 0;
    long before = 0;
    for (int round = 0; round < 2000; ++round) {
        if (round == 400) before = pages();
#pragma omp parallel
        {
            if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
            }
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 100; ++i) {}
#pragma omp for schedule(nonmonotonic: dynamic) nowait
            for (long i = 0; i < 100; ++i) {}
            for (int k = 0; k < 4; ++k) {
#pragma omp for schedule(runtime) nowait
                for (unsigned long long i = 0; i < 100; ++i) {}
            }
#pragma omp cancellation point parallel
        }
        long runs = 0;
#pragma omp parallel
        {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 100; ++i) __atomic_fetch_add(&runs, 1, 0);
#pragma omp for schedule(dynamic)
            for (long i = 0; i < 100; ++i) __atomic_fetch_add(&runs, 1, 0);
        }
        wrong += runs != 200;
    }
    printf("%d %d\\n", wrong, (pages() - before) * sysconf(_SC_PAGESIZE) > 1024 * 1024);
}
"""

# Regions that threads leave by cancellation before, between or in loops, of which the others run more than libomp has
# buffers for. How many iterations ran twice, and how many loops of the next region went wrong.
MANY = """
#include <omp.h>
#include <stdio.h>
#include <string.h>
enum { LOOPS = 24, N = 50 };
static int ran[LOOPS][N];
#define LOOP(type, clauses) \\
    _Pragma(clauses) for (type i = 0; i < N; ++i) __atomic_fetch_add(&ran[k][i], 1, 0); \\
    if (++k == leave) { _Pragma("omp cancellation point parallel") }
int main(void) {
    int twice = 0, wrong = 0;
    for (int round = 0; round < 300; ++round) {
        memset(ran, 0, sizeof ran);
#pragma omp parallel
        {
            const int thread = omp_get_thread_num();
            const int stays = round % omp_get_num_threads();
            const int cancels = (stays + 1) % omp_get_num_threads();
            const int leave = thread == stays ? -1 : (round / 4 + thread) % 16;
            int k = 0;
            if (thread == cancels && round % 3 == 0) {
#pragma omp cancel parallel
            }
            while (k < LOOPS) {
                LOOP(int, "omp for schedule(runtime) nowait")
                LOOP(unsigned long long, "omp for schedule(runtime) nowait")
                LOOP(long, "omp for schedule(dynamic, 3) nowait")
                if (thread == cancels && k >= leave) {
#pragma omp cancel parallel
                }
                LOOP(int, "omp for schedule(nonmonotonic: dynamic) nowait")
            }
#pragma omp cancellation point parallel
        }
        for (int k = 0; k < LOOPS; ++k)
            for (int i = 0; i < N; ++i) twice += ran[k][i] > 1;
        long runs = 0;
#pragma omp parallel
        for (int k = 0; k < 10; ++k) {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 100; ++i) __atomic_fetch_add(&runs, 1, 0);
        }
        wrong += runs != 1000;
    }
    printf("%d %d\\n", twice, wrong);
    return 0;
}
"""

# A region that one thread cancels before a loop that the other runs, then a larger team than ever before; the same for
# inner teams if asked to. How many aligned blocks these steps have left behind, as executions of loops are.
GROWING = """
#include <omp.h>
#include <stdio.h>
#include <string.h>
enum { ROOM = 65536 };
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);
static void *blocks[ROOM];
static long taken, live;
int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = __libc_memalign(alignment, size);
    const long place = __atomic_fetch_add(&taken, 1, 0);
    if (!*block || place >= ROOM) return 12;
    __atomic_store_n(&blocks[place], *block, 0);
    __atomic_fetch_add(&live, 1, 0);
    return 0;
}
void free(void *block) {
    for (long k = 0; block && k < ROOM && k < taken; ++k) {
        void *same = block;
        if (!__atomic_compare_exchange_n(&blocks[k], &same, (void *)0, 0, 0, 0)) continue;
        __atomic_fetch_sub(&live, 1, 0);
        break;
    }
    __libc_free(block);
}
static long sum;
static void region(int cancelled) {
#pragma omp parallel num_threads(2)
    {
        if (cancelled && omp_get_thread_num() == 1) {
#pragma omp cancel parallel
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < 100; ++i) __atomic_fetch_add(&sum, 1, 0);
    }
}
static void step(int threads) {
    region(1);
#pragma omp parallel num_threads(threads)
    __atomic_fetch_add(&sum, 0, 0);
}
static long steps(int first, int count) {
    for (int k = 0; k < count; ++k) step(first + k);
    return live;
}
int main(int count, char **words) {
    const int inner = count > 1 && strcmp(words[1], "inner") == 0;
    long before = 0, after = 0;
    omp_set_max_active_levels(2);
    for (int k = 0; k < 10; ++k) region(0);
#pragma omp parallel num_threads(2) if (inner)
    if (omp_get_thread_num() == 0) {
        for (int k = 0; k < 10; ++k) region(0);
        before = steps(20, 5);
        after = steps(25, 25);
    }
    printf("%d\\n", after - before > 20);
    return sum < 2000;
}
"""


class Cancelled(RepairTest):
    def test_loops_after_those_that_were_cancelled(self):
        for compiler in self.compilers():
            program = self.build(compiler, CANCELLED, "-O1")
            for kind in range(4):
                for threads in (2, 4):
                    for schedule in ("auto", "tss"):
                        with self.subTest(compiler=compiler, kind=kind, threads=threads, schedule=schedule):
                            self.assert_prints("0\n", self.run_program(program, kind, threads=threads,
                                                                       schedule=schedule, OMP_CANCELLATION="true"))

    def test_what_a_team_of_one_runs_after_what_was_cancelled(self):
        for compiler in self.compilers():
            program = self.build(compiler, ALONE, "-O1")
            for schedule in ("auto", "gss", ""):
                with self.subTest(compiler=compiler, schedule=schedule):
                    self.assert_prints("0\n", self.run_program(program, schedule=schedule, OMP_CANCELLATION="true"))

    def test_regions_that_are_cancelled_together_with_their_loops(self):
        for compiler in self.compilers():
            program = self.build(compiler, BOTH, "-O1")
            for threads in (2, 4):
                for schedule in ("gss", ""):
                    with self.subTest(compiler=compiler, threads=threads, schedule=schedule):
                        self.assert_prints("6000 0\n", self.run_program(program, threads=threads, schedule=schedule,
                                                                        OMP_CANCELLATION="true"))

    def test_regions_that_are_cancelled_while_others_leave_their_loop(self):
        for compiler in self.compilers():
            program = self.build(compiler, AT_ONCE, "-O1")
            for schedule in ("gss", "runtime"):
                with self.subTest(compiler=compiler, schedule=schedule):
                    self.assert_prints("0\n", self.run_program(program, schedule=schedule, OMP_CANCELLATION="true"))

    def test_loops_after_regions_of_gnu_code_that_were_cancelled(self):
        program = self.build(tool_test.ARGUMENTS.gcc, REGIONS, "-O1")
        for threads in (2, 4):
            for schedule, own in (("tss", "static"), ("", "static_steal,1")):
                with self.subTest(threads=threads, schedule=schedule):
                    self.assert_prints("0 0\n", self.run_program(program, threads=threads, schedule=schedule,
                                                                 OMP_SCHEDULE=own, OMP_CANCELLATION="true"))

    def test_more_loops_than_buffers_after_others_have_left_by_cancellation(self):
        for compiler in self.compilers():
            program = self.build(compiler, MANY, "-O1")
            for threads in (2, 4):
                for schedule, own in (("tss", "static"), ("lws,0.5", "static"), ("", "guided"), ("", "static_steal,1")):
                    with self.subTest(compiler=compiler, threads=threads, schedule=schedule, own=own):
                        self.assert_prints("0 0\n", self.run_program(program, threads=threads, schedule=schedule,
                                                                     OMP_SCHEDULE=own, OMP_CANCELLATION="true"))

    def test_what_a_cancelled_region_has_left_goes_where_its_team_grows(self):
        for compiler in self.compilers():
            program = self.build(compiler, GROWING, "-O1", "-fno-builtin", "-Wl,--export-dynamic")
            for where in ("outer", "inner"):
                with self.subTest(compiler=compiler, where=where):
                    self.assert_prints("0\n", self.run_program(program, where, threads=2, schedule="gss",
                                                               OMP_CANCELLATION="true"))


if __name__ == "__main__":
    tool_test.main()
