#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal check` on programs whose loops are known: it counts them by schedule, names their lines, and what it says to
type is right: the rules it prints take exactly these loops. It never starts the program."""
import json
import pathlib
import platform
import re
import shlex
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tool_test import ARGUMENTS, ToolTest, main  # noqa: E402

PROGRAM = """
#include <stdio.h>
int data[1000];
int main(void) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < 1000; ++i) data[i] = i;
#pragma omp for schedule(guided)
        for (long i = 0; i < 1000; ++i) data[i] += 1;
#pragma omp for schedule(runtime)
        for (long i = 0; i < 1000; ++i) data[i] += 1;
    }
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 1000; ++i) data[i] += 1;
#pragma omp parallel for
    for (int i = 0; i < 1000; ++i) data[i] += 1;
    printf("sum %ld %d\\n", sum, data[999]);
    return 0;
}
"""
COUNTS = {"runtime": 2, "dynamic": 2, "guided": 1}
OUTPUT = "sum 499500 1003\n"


class CheckTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = {f"{pathlib.Path(compiler).name}{level}": cls.build(compiler, PROGRAM, level)
                        for compiler in cls.compilers() for level in ("-O0", "-O2")}

    def check(self, program):
        result = self.tool("check", program, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_loops_are_counted_by_schedule_and_named_as_in_reports(self):
        for name, program in self.programs.items():
            with self.subTest(name):
                loops = self.check(program)["objects"][0]["loops"]
                self.assertEqual({k: len(loops[k]) for k in COUNTS}, COUNTS)
                report = self.tool("run", "-t", 2, "--loops", "*=fac2", "--", program).stderr
                ran = re.findall(r"^(program\.c:\d+ main)  ", report, re.MULTILINE)
                self.assertEqual(sorted(ran), sorted(place for k in COUNTS for place in loops[k]), report)

    def test_what_it_says_to_type_takes_these_loops(self):
        for name, program in self.programs.items():
            with self.subTest(name):
                commands = self.check(program)["commands"]
                self.assertEqual(len(commands), 2)
                for command, taken in zip(commands, (2, 5)):
                    words = shlex.split(command)
                    self.assertEqual(words[0], "gimbal")
                    result = self.tool(*words[1:], OMP_NUM_THREADS="2")
                    self.assertEqual((result.returncode, result.stdout), (0, OUTPUT), result.stderr)
                    loops = re.findall(r"^program\.c:\d+ main", result.stderr, re.MULTILINE)
                    self.assertEqual(len(loops), taken, result.stderr)
                    self.assertNotIn("matched no loop", result.stderr)

    def test_as_text(self):
        program = next(iter(self.programs.values()))
        result = self.tool("check", program)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for text in ("libgomp, which the patched libomp answers", "MPI      none seen", "runtime     2  taken",
                     "dynamic     2  taken if --loops names them", "to try", f"gimbal run -- {program}"):
            self.assertIn(text, result.stdout)
        self.assertNotIn("parallel regions", result.stdout, "calls are no regions, and the loops say enough")

    def test_a_name_with_blanks_is_quoted(self):
        program = self.folder / "it's one"
        shutil.copy(next(iter(self.programs.values())), program)
        for command in self.check(program)["commands"]:
            self.assertEqual(shlex.split(command)[-1], str(program))
            self.assertNotIn("-t", shlex.split(command))

    def test_regions_without_loops(self):
        program = self.build(ARGUMENTS.gcc, """
            #include <stdio.h>
            int main(void) {
            #pragma omp parallel
                puts("x");
                return 0;
            }""", "-DC")
        self.assertIn("  parallel regions without loops, or with static ones only\n",
                      self.tool("check", program).stdout)

    def test_the_program_does_not_run(self):
        program = self.build(ARGUMENTS.gcc, 'int main(void) { __builtin_abort(); }', "-DA")
        result = self.tool("check", program)
        self.assertEqual(result.returncode, 0)
        self.assertIn("Gimbal can take no loop of it", result.stdout)

    @unittest.skipIf(platform.machine() == "x86_64", "the code of this machine can be read")
    def test_of_code_that_cannot_be_read_it_does_not_say_that_there_is_no_loop(self):
        program = self.build(ARGUMENTS.gcc, "int main(void) { return 0; }", "-DE")
        result = self.tool("check", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("its code cannot be read on this machine", result.stdout)
        self.assertNotIn("can take no loop", result.stdout)

    def test_what_run_refuses(self):
        offload = self.build(ARGUMENTS.gcc, """
            int main(void) {
                int s = 0;
            #pragma omp target nowait map(tofrom : s) depend(inout : s)
                s = 1;
            #pragma omp taskwait
                return s == 1 ? 0 : 1;
            }""", "-DB", "-foffload=disable")
        for words in (("check", offload), ("run", "--", offload)):
            result = self.tool(*words)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("GOMP_target_ext", result.stdout + result.stderr)
        self.assertEqual(self.tool("check", offload).returncode, 1)

    def test_no_program(self):
        result = self.tool("check", "./nothing")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn('there is no program "./nothing"', result.stderr)


if __name__ == "__main__":
    main()
