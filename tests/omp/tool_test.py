# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of the built tool on real programs share: its place, compilers, a folder, a clean environment."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ARGUMENTS = argparse.Namespace()  # tool, library, gcc, clang (or empty), scratch

THREADS = 2  # of traced programs
ITERATIONS = 300

TRACED_PROGRAM = """
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern void omp_display_env(int verbose);
int main(int argc, char** argv) {
    const int executions = atoi(argv[1]), iterations = atoi(argv[2]);
    const int fork_first = argc > 3 && argv[3][0] == 'f';
    if (fork_first) fork();
    volatile double sink = 0;
    for (int k = 0; k < executions; ++k) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < iterations; ++i)
            for (int j = 0; j < 50 * i; ++j) sink = j;
        if (k == 0) { puts("first"); fflush(stdout); }
    }
    if (argc > 4) { /* goes on once there is a file of this pattern */
        glob_t found;
        while (glob(argv[4], 0, NULL, &found) != 0) usleep(10000);
        puts("printed");
        fflush(stdout);
    }
    if (argc > 3 && argv[3][0] == 'x') execl(argv[0], argv[0], "3", argv[2], NULL);
    if (argc > 3 && argv[3][0] == 'd') omp_display_env(1);
    if (argc > 3 && argv[3][0] == 'e') _exit(3);
    if (argc > 3 && argv[3][0] == 'w') { puts("waits"); fflush(stdout); pause(); }
    return 0;
}
"""


def environment(**more):
    """This process's, without what a user has set of Gimbal and OpenMP."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "OMP_", "KMP_", "LD_"))}
    return {**kept, "GIMBAL_CACHE": "off", **more}


class ToolTest(unittest.TestCase):
    """A class's programs and files are in `folder`, which is gone after its last test."""

    settings = {}  # variables of every run

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{cls.__name__}-", dir=ARGUMENTS.scratch)).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    @classmethod
    def compilers(cls):
        return [one for one in (ARGUMENTS.gcc, ARGUMENTS.clang) if one]

    @classmethod
    def build(cls, compiler, source, *flags):
        """A C program with OpenMP, as `program.c`. Returns its path."""
        program = cls.folder / (pathlib.Path(compiler).name + "".join(flags).replace("/", "_"))
        (cls.folder / "program.c").write_text(source)
        subprocess.run([compiler, "-g", "-fopenmp", *flags, "-o", program, "program.c", "-L",
                        str(pathlib.Path(ARGUMENTS.library).resolve().parent)], check=True, cwd=cls.folder)
        return program

    def preloaded(self, program, *words, **more):
        """Run a program by hand, under the library; names in capitals are variables."""
        library = pathlib.Path(ARGUMENTS.library).resolve()
        asked = {name: more.pop(name) for name in [*more] if name.isupper()}
        variables = environment(**{"LD_PRELOAD": str(library), "OMP_NUM_THREADS": "2", "GIMBAL_SCHEDULE": "runtime",
                                   **asked})
        return subprocess.run([program, *words], env=variables, text=True, cwd=self.folder, timeout=600, check=False,
                              **more)

    def tool(self, *words, **env):
        return subprocess.run([ARGUMENTS.tool, *map(str, words)], env=environment(**{**self.settings, **env}),
                              cwd=self.folder, text=True, capture_output=True, timeout=600)


class TraceTest(ToolTest):
    """Runs that write a trace, of a program built by each compiler."""

    settings = {"GIMBAL_REPORT": "off"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = {pathlib.Path(compiler).name: cls.build(compiler, TRACED_PROGRAM, "-O1")
                        for compiler in cls.compilers()}

    def setUp(self):
        self.trace = self.folder / "run.pftrace"
        for left in self.folder.glob("*.pftrace*"):
            left.unlink()

    def run_traced(self, *words, program=None, schedule="fac2", options=(), **env):
        program = program or next(iter(self.programs.values()))
        return self.tool("run", "-t", THREADS, "--schedule", schedule, "--trace", "run.pftrace", *options, "--",
                             program, *words, **env)

    def assert_every_iteration_once(self, trace, executions, iterations=ITERATIONS):
        """Chunks of all threads together cover each execution once; each lies inside a slice of the loop."""
        counts = [0] * iterations
        loops = 0
        for thread in trace.threads():
            loops += len(thread.of("loop"))
            for chunk in thread.of("chunk"):
                self.assertGreater(chunk.depth, 0)
                self.assertGreater(chunk.arguments["iterations"], 0)
                first = chunk.arguments["first"]
                for i in range(first, first + chunk.arguments["iterations"]):
                    counts[i] += 1
        self.assertEqual(loops, THREADS * executions)
        self.assertEqual(set(counts), {executions})


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "library", "gcc", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--clang", default="")
    _, rest = parser.parse_known_args(namespace=ARGUMENTS)
    os.makedirs(ARGUMENTS.scratch, exist_ok=True)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
