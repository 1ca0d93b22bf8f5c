#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the report says where no loop came to Gimbal: by what the process asked of OpenMP, not by its file alone."""
import os
import subprocess
import sys

from tool_test import ARGUMENTS, ToolTest, main

ASKED_NOTHING = "neither the program nor a module that it loaded asked the OpenMP runtime for anything"


class NoLoopTest(ToolTest):
    @classmethod
    def compile(cls, source, name, *flags):
        """Without -fopenmp unless the flags have it."""
        path = cls.folder / name
        file = path.with_suffix(".c")
        file.write_text(source)
        subprocess.run([ARGUMENTS.gcc, "-g", "-o", path, file, *flags], check=True)
        return path

    def run_program(self, *words, **env):
        return self.tool("run", *words, **env)

    def assert_right(self, result):
        self.assertEqual((result.returncode, result.stdout), (0, "sum 499500\n"), result.stderr)


class NoLoop(NoLoopTest):
    """Why no loop came to Gimbal."""

    LOOPS = """
#include <omp.h>
#include <stdio.h>
int main(int count, char **words) {
    (void)words;
    long sum = 0;
    if (count > 1) omp_set_schedule(omp_sched_dynamic, 4);
#pragma omp parallel for schedule(KIND) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    printf("sum %ld\\n", sum);
    return 0;
}
"""

    def said_of(self, name, flags, *words, tool_words=()):
        result = self.run_program(*tool_words, "--", self.compile(self.LOOPS, name, *flags), *words)
        self.assert_right(result)
        self.assertIn("no loop ran under Gimbal: ", result.stderr)
        return result.stderr

    def test_only_static_loops(self):
        self.assertIn("only loops with schedule(static)", self.said_of("static", ("-fopenmp", "-DKIND=static")))

    def test_dynamic_loops_and_how_to_take_them(self):
        self.assertIn("--loops '*=runtime'", self.said_of("dynamic", ("-fopenmp", "-DKIND=dynamic")))
        result = self.run_program("--loops", "*=runtime", "--", self.folder / "dynamic")
        self.assertNotIn("no loop ran", result.stderr)

    def test_a_rule_that_names_none_is_not_advised_again(self):
        said = self.said_of("dynamic", ("-fopenmp", "-DKIND=dynamic"), tool_words=("--loops", "other=runtime"))
        self.assertIn("none of its loops that a rule of GIMBAL_LOOPS names ran", said)

    def test_omp_set_schedule(self):
        said = self.said_of("set", ("-fopenmp", "-DKIND=runtime"), "x")
        self.assertIn("calls omp_set_schedule(dynamic,4)", said)

    def test_libgomp_inside(self):
        asked = [ARGUMENTS.gcc, "-print-file-name=libgomp.a"]
        archive = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        if not os.path.isabs(archive):
            self.skipTest("no libgomp.a")
        objects = self.compile(self.LOOPS, "inside.o", "-c", "-fopenmp", "-DKIND=runtime")
        program = self.folder / "inside"
        subprocess.run([ARGUMENTS.gcc, "-o", program, objects, archive, "-pthread", "-ldl"], check=True)
        result = self.run_program("--", program)
        self.assert_right(result)
        self.assertIn("libgomp is linked into the program", result.stderr)

    def test_no_openmp_at_all(self):
        self.assertIn(ASKED_NOTHING, self.run_program("--", "/bin/true").stderr)

    def test_regions_that_did_not_run(self):
        source = self.LOOPS.replace("long sum", "if (count < 9) return 0;\n    long sum")
        program = self.compile(source, "unused", "-fopenmp", "-DKIND=static")
        self.assertIn("has OpenMP regions or loops, but none of them ran", self.run_program("--", program).stderr)


class NoLoopInAModule(NoLoopTest):
    """The same where the loops are in a module that is loaded later: the program's own file knows nothing of them."""

    MODULE = """
#include <omp.h>
long sum(int count) {
    long sum = 0;
    (void)omp_get_max_threads();
#ifdef KIND
#pragma omp parallel for schedule(KIND) reduction(+ : sum)
#endif
    for (int i = 0; i < count; ++i) sum += i;
    return sum;
}
"""
    LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
    (void)count;
    void *module = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    long (*sum)(int) = module ? (long (*)(int))dlsym(module, "sum") : NULL;
    if (!sum) return puts(dlerror()), 1;
    printf("sum %ld\\n", sum(1000));
    return 0;
}
"""
    CALLER = "import ctypes, sys\nprint('sum', ctypes.CDLL(sys.argv[1]).sum(1000))\n"
    SAID = {"runtime": None, "dynamic": "--loops '*=runtime'", "guided": "--loops '*=runtime'",
            "static": "its parallel regions had only loops with schedule(static)",
            "no-loop": "the OpenMP runtime was asked for settings", "no-openmp": ASKED_NOTHING}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        loader = cls.compile(cls.LOADER, "loader", "-ldl")
        caller = cls.folder / "call.py"
        caller.write_text(cls.CALLER)
        cls.callers = {"program": [loader], "python": [sys.executable, caller]}

    def module(self, kind):
        source, flags = self.MODULE, ["-fopenmp"]
        if kind == "no-openmp":
            source, flags = source.replace("#include <omp.h>", "").replace("(void)omp_get_max_threads();", ""), []
        elif kind != "no-loop":
            flags.append(f"-DKIND={kind}")
        return self.compile(source, f"{kind}.so", "-shared", "-fPIC", *flags)

    def test_what_is_said_follows_what_the_module_did(self):
        for kind, said in self.SAID.items():
            module = self.module(kind)
            for name, words in self.callers.items():
                with self.subTest(kind=kind, caller=name):
                    result = self.run_program("--", *words, module)
                    self.assert_right(result)
                    if said is None:
                        self.assertRegex(result.stderr, rf"{kind}\.c:\d+ sum +1 +1000 ")
                        self.assertNotIn("no loop ran", result.stderr)
                    else:
                        self.assertIn("no loop ran under Gimbal: ", result.stderr)
                        self.assertIn(said, result.stderr)

    def test_a_shell_between_changes_nothing(self):
        module = self.module("static")
        result = self.run_program("--", "sh", "-c", f"{self.callers['program'][0]} {module}; sleep 0.1")
        self.assertIn(self.SAID["static"], result.stderr)

    def test_ordinary_schedules_are_said_only_of_loops_that_go_by_them(self):
        for kind, said in (("static", self.SAID["static"]), ("runtime", "OMP_SCHEDULE=guided leaves loops")):
            result = self.run_program("--", *self.callers["program"], self.module(kind), OMP_SCHEDULE="guided")
            self.assertIn(said, result.stderr)


if __name__ == "__main__":
    main()
