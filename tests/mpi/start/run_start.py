#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How ranks are started: which launcher `gimbal run -n` takes, what a program of another MPI is told, and one report
for several `gimbal run` under one launcher. Both MPIs by their full names; what needs the other is skipped without."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ARGUMENTS = None
SUFFIX = {"MPICH": "mpich", "Open MPI": "openmpi"}
OTHER = {"MPICH": "Open MPI", "Open MPI": "MPICH"}

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    long sum = 0;
    int size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    printf("sum %ld of %d\\n", sum, size);
    MPI_Finalize();
    return 0;
}
"""

WITH_HEADER = """
#include <gimbal/mpi/mpi.h>
int main(void) { return gimbal_mpi_progress(); }
"""

# As a program in another language would: the compiler sees no header of Gimbal's.
WITHOUT_HEADER = """
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
int gimbal_mpi_begin_loop(MPI_Comm comm, const char *name, int64_t n, const void *options, void **loop);
const char *gimbal_mpi_error_text(void);
int main(int argc, char **argv) {
    void *loop = NULL;
    MPI_Init(&argc, &argv);
    const int code = gimbal_mpi_begin_loop(MPI_COMM_WORLD, "loop", 10, NULL, &loop);
    printf("code %d: %s\\n", code, code < 0 ? gimbal_mpi_error_text() : "");
    MPI_Finalize();
    return 0;
}
"""


class StartTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="start-", dir=ARGUMENTS.scratch)).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "tmp").mkdir()
        self.own, self.other = ARGUMENTS.family, OTHER[ARGUMENTS.family]
        self.gimbal = ARGUMENTS.build / "bin" / "gimbal"
        self.libraries = ARGUMENTS.build / "lib"

    def need(self, family):
        for program in ("mpicc", "mpiexec"):
            if not shutil.which(f"{program}.{SUFFIX[family]}"):
                self.skipTest(f"no {program}.{SUFFIX[family]}")

    def compile(self, family, source, name, *flags, check=True):
        file = self.folder / (name + ".c")
        file.write_text(source)
        path = self.folder / name
        done = subprocess.run([f"mpicc.{SUFFIX[family]}", "-g", "-o", path, file, *map(str, flags)], text=True,
                              capture_output=True)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return path if check else done

    def program(self, family):
        self.need(family)
        return self.compile(family, PROGRAM, "program-" + SUFFIX[family], "-fopenmp")

    def run_it(self, *command, env=None):
        ours = ("GIMBAL_", "OMP_", "KMP_", "LD_", "PMI", "OMPI_", "SLURM_")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
        environment = kept | root | {"TMPDIR": str(self.folder / "tmp"), "OMP_NUM_THREADS": "1",
                                     "GIMBAL_CACHE": "off"} | (env or {})
        return subprocess.run([*map(str, command)], env=environment, text=True, capture_output=True, timeout=240)


class Launcher(StartTest):
    def started_right(self, family, first_in_path):
        """`gimbal run -n 2` where `mpiexec` is another MPI's."""
        self.need(first_in_path)
        program = self.program(family)
        folder = self.folder / "bin"
        folder.mkdir()
        launcher = folder / "mpiexec"  # not a link: MPICH's looks for its helper beside itself
        launcher.write_text(f'#!/bin/sh\nexec {shutil.which("mpiexec." + SUFFIX[first_in_path])} "$@"\n')
        launcher.chmod(0o755)
        result = self.run_it(self.gimbal, "run", "-n", "2", "--", program,
                             env={"PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(result.stdout.split("\n")[:-1]), ["sum 499500 of 2"] * 2)
        self.assertIn("2 ranks x 1 thread", result.stderr)

    def test_it_is_that_of_the_programs_mpi(self):
        for family, first in (("MPICH", "Open MPI"), ("Open MPI", "MPICH"), ("MPICH", "MPICH")):
            with self.subTest(program=family, mpiexec=first):
                shutil.rmtree(self.folder / "bin", ignore_errors=True)
                self.started_right(family, first)

    def test_another_that_is_named_is_refused_in_one_line(self):
        for family in ("MPICH", "Open MPI"):
            with self.subTest(family):
                self.need(OTHER[family])
                other = f"mpiexec.{SUFFIX[OTHER[family]]}"
                result = self.run_it(self.gimbal, "run", "-n", "2", "--mpiexec", other, "--", self.program(family))
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertIn(f"is the launcher of {OTHER[family]}", result.stderr)
                self.assertIn(f"is linked to {family}", result.stderr)

    def test_none_of_the_programs_mpi_is_refused_in_one_line(self):
        self.need("MPICH")
        self.need("Open MPI")
        program = self.program("MPICH")
        # The library in a folder with no launcher beside it: /usr/bin/mpiexec is either MPI's, as the machine's owner
        # chose, and must not be found by way of the library.
        listed = subprocess.run(["ldd", program], text=True, capture_output=True, check=True).stdout.splitlines()
        library = pathlib.Path(next(line.split()[2] for line in listed if line.split()[0].startswith("libmpi")))
        folder, alone = self.folder / "only", self.folder / "alone" / "lib" / "mpi"
        folder.mkdir()
        alone.mkdir(parents=True)
        shutil.copy(library, alone)
        (folder / "mpiexec").symlink_to(shutil.which("mpiexec.openmpi"))
        result = self.run_it(self.gimbal, "run", "-n", "2", "--", program,
                             env={"PATH": str(folder), "LD_LIBRARY_PATH": str(alone)})
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn("no launcher of that MPI was found", result.stderr)


class Alone(StartTest):
    """A program under another MPI's launcher: copies, and no ranks."""

    def test_it_is_said_and_the_report_counts_no_ranks(self):
        self.need("Open MPI")
        program = self.program("MPICH")
        variables = {"LD_PRELOAD": str(self.libraries / "libomp.so"), "OMP_SCHEDULE": "runtime"}
        words = [f"{name}={value}" for name, value in variables.items()]
        result = self.run_it("mpiexec.openmpi", "-n", "2", "env", *words, program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("of 1"), 2)
        self.assertIn("each is alone in its MPI_COMM_WORLD", result.stderr)
        self.assertIn("2 processes, no ranks of one job", result.stderr)
        self.assertNotIn("2 ranks", result.stderr)

    def test_ranks_that_know_each_other_are_not_alone(self):
        for family in ("MPICH", "Open MPI"):
            with self.subTest(family):
                program = self.program(family)
                result = self.run_it(f"mpiexec.{SUFFIX[family]}", "-n", "2", "env",
                                     f"LD_PRELOAD={self.libraries / 'libomp.so'}", "OMP_SCHEDULE=runtime", program)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("alone", result.stderr)


class WrongMpi(StartTest):
    """A program that uses the rank level, compiled by another MPI's wrapper."""

    def test_the_header_refuses(self):
        self.need(self.other)
        includes = [f"-I{ARGUMENTS.source / folder / 'include'}" for folder in ("runtime", "mpi_layer")]
        includes.append(f"-I{ARGUMENTS.build / 'mpi_layer' / 'include'}")
        done = self.compile(self.other, WITH_HEADER, "header", "-fsyntax-only", *includes, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"this Gimbal was built with {self.own}", done.stderr)
        self.need(self.own)
        self.compile(self.own, WITH_HEADER, "header", "-fsyntax-only", *includes)

    def test_the_cxx_headers_name_the_standard_that_they_need(self):
        self.need(self.own)
        includes = [f"-I{ARGUMENTS.source / folder / 'include'}" for folder in ("runtime", "mpi_layer")]
        includes.append(f"-I{ARGUMENTS.build / 'mpi_layer' / 'include'}")
        for header in ("loop", "steal_loop"):
            source = self.folder / f"{header}.cpp"
            source.write_text(f"#include <gimbal/mpi/{header}.hpp>\nint main() {{}}\n")
            old, new = (subprocess.run([f"mpicxx.{SUFFIX[self.own]}", f"-std={standard}", "-fsyntax-only", *includes,
                                        source], text=True, capture_output=True) for standard in ("c++17", "c++20"))
            self.assertIn("This header needs C++20: compile with -std=c++20", old.stderr)
            self.assertEqual(new.returncode, 0, new.stderr)

    def test_the_first_loop_refuses_what_no_header_has_seen(self):
        self.need(self.other)
        program = self.compile(self.other, WITHOUT_HEADER, "wrong", f"-L{self.libraries}", "-lgimbal_mpi",
                               f"-Wl,-rpath,{self.libraries}", "-Wl,--allow-shlib-undefined")
        result = self.run_it(f"mpiexec.{SUFFIX[self.other]}", "-n", "2", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count(f"and this libgimbal_mpi was built with {self.own}"), 2, result.stdout)


class OneReport(StartTest):
    def test_several_gimbal_run_under_one_launcher_report_once(self):
        for family in ("MPICH", "Open MPI"):
            for script in (False, True):
                with self.subTest(family, script=script):
                    program = self.program(family)
                    command = [self.gimbal, "run", "--", program]
                    if script:  # the launcher's child is a shell
                        command = ["sh", "-c", '"$@"; exit $?', "sh", *command]
                    result = self.run_it(f"mpiexec.{SUFFIX[family]}", "-n", "2", *command)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(result.stderr.count("gimbal 0."), 1, result.stderr)
                    self.assertIn("2 ranks x 1 thread", result.stderr)
                    self.assertNotIn("WARN", result.stderr)
                    self.assertEqual(list((self.folder / "tmp").glob("gimbal-*")), [])

    def test_a_wrong_setting_is_said_once(self):
        result = self.run_it(f"mpiexec.{SUFFIX[self.own]}", "-n", "2", self.gimbal, "run", "--schedule", "fac22", "--",
                             self.program(self.own))
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("gimbal: error: "), 1, result.stderr)


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "source", "scratch"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    parser.add_argument("--family", required=True, choices=SUFFIX, help="the MPI that the rank level was built with")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], "-v", *rest])


if __name__ == "__main__":
    main()
