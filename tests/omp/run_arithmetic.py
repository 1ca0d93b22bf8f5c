#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that wants to end where its own arithmetic goes wrong (feenableexcept(), -ffpe-trap of gfortran) does not
end by what Gimbal computes, and finds no flags of Gimbal's."""
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


class Trapping(tool_test.ToolTest):
    def test_nothing_is_raised_and_nothing_stays(self):
        library = str(pathlib.Path(tool_test.ARGUMENTS.library).resolve())
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
