#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What cancelled constructs leave behind in their team, and libomp 19 goes on with: barriers that a thread has not left
yet or never comes to."""
import tool_test
from run_repairs import RepairTest


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


if __name__ == "__main__":
    tool_test.main()
