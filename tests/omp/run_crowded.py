#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks whose threads are more than the node's cores: threads that wait sleep; under the real library."""
import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import unittest

OPTIONS = argparse.Namespace()


class Crowded(unittest.TestCase):
    def did(self, compiler, threads, processors=None, **variables):
        """@return what threads of the program did while they waited: "slept" or "spun" """
        program = OPTIONS.programs / f"crowded-{compiler}"
        if not program.is_file():
            self.skipTest(f"{program.name} is not built, {compiler} is missing")
        prefixes = ("OMP_", "KMP_", "GOMP_", "LIBOMP_", "GIMBAL_", "LD_PRELOAD", "MPI_", "OMPI_", "SLURM_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
        mask = processors or os.sched_getaffinity(0)
        done = subprocess.run([str(program), "60"], capture_output=True, text=True, timeout=600, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, mask),
                              env=kept | {"LD_PRELOAD": str(OPTIONS.library), "OMP_NUM_THREADS": str(threads),
                                          "GIMBAL_CACHE": "off", "GIMBAL_SCHEDULE": "fac2", "GIMBAL_REPORT": "off"}
                              | variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def setUp(self):
        self.cores = len(os.sched_getaffinity(0))
        if self.cores < 2 or self.cores != os.cpu_count():
            self.skipTest("needs two cores, and all of the machine's")
        with contextlib.suppress(OSError):
            if int(pathlib.Path("/proc/thread-self/schedstat").read_text().split()[0]) > 0:
                return
        self.skipTest("this system does not say how long threads ran and waited")

    def test_sleep_where_ranks_have_more_threads_than_the_node_has_cores(self):
        for compiler in ("gcc", "clang"):
            for name in ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"):
                with self.subTest(compiler=compiler, name=name):
                    self.assertEqual(self.did(compiler, self.cores, **{name: "2"}), "slept")

    def test_spin_as_upstream_where_they_have_not(self):
        self.assertEqual(self.did("gcc", self.cores), "spun")
        self.assertEqual(self.did("gcc", self.cores, MPI_LOCALNRANKS="1"), "spun")

    def test_spin_where_the_user_says_so(self):
        self.assertEqual(self.did("gcc", self.cores, MPI_LOCALNRANKS="2", KMP_BLOCKTIME="200"), "spun")
        self.assertEqual(self.did("gcc", self.cores, MPI_LOCALNRANKS="2", OMP_WAIT_POLICY="active"), "spun")

    def test_sleep_on_a_single_core_unless_the_user_says_otherwise(self):
        for variables in ({}, {"MPI_LOCALNRANKS": "2"}):
            self.assertEqual(self.did("gcc", 2, {0}, **variables), "slept")
        self.assertEqual(self.did("gcc", 2, {0}, KMP_BLOCKTIME="200"), "spun")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
