#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that wait lend their cores: a team one of whose cores is taken, under the real library. And whether something
else uses the cores is looked at whether they lend them or not."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import perfetto  # noqa: E402

RUN_LIMIT_S = 600
OPTIONS = argparse.Namespace()


def clean_environment():
    prefixes = ("OMP_", "KMP_", "GOMP_", "LIBOMP_", "GIMBAL_", "LD_PRELOAD")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return kept | {"GIMBAL_CACHE": "off"}


class Lending(unittest.TestCase):
    def setUp(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")

    def lent(self, thread, compiler="clang", rounds=3, trace=None, more=(), **variables):
        """Runs the program on two cores, that of one thread taken. @return how often a core was lent
        @param more  arguments
        @param trace  a list: is given the slices of the threads that lent theirs, by thread"""
        program = OPTIONS.programs / f"lending-{compiler}"
        if not program.is_file():
            self.skipTest(f"{program.name} is not built, {compiler} is missing")
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "run.json"
            environment = clean_environment() | {
                "LD_PRELOAD": str(OPTIONS.library), "OMP_NUM_THREADS": "2", "OMP_CANCELLATION": "true",
                "KMP_AFFINITY": "granularity=fine,compact", "GIMBAL_SCHEDULE": "fac2",
                "GIMBAL_OUTPUT": str(record)} | variables
            if trace is not None:
                environment["GIMBAL_TRACE"] = f"{folder}/run.pftrace"
            two = sorted(os.sched_getaffinity(0))[:2]
            done = subprocess.run([str(program), str(thread), str(rounds), *more], capture_output=True, text=True,
                                  env=environment, timeout=RUN_LIMIT_S, check=False,
                                  preexec_fn=lambda: os.sched_setaffinity(0, two))
            self.assertEqual(done.stdout, "passed\n", done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            if trace is not None:
                threads = perfetto.Trace(pathlib.Path(folder) / "run.pftrace").threads()
                trace += [[one for one in thread.slices if one.name == "lends its core"] for thread in threads]
            return json.loads(record.read_text())["cores_lent"]

    def test_to_a_worker_and_to_the_primary(self):
        for compiler in ("clang", "gcc"):
            for thread in (0, 1):
                with self.subTest(compiler=compiler, thread=thread):
                    self.assertGreater(self.lent(thread, compiler, rounds=8), 0)

    @unittest.skipUnless(perfetto.PROTOC, "protoc is not there (protobuf-compiler)")
    def test_a_trace_shows_every_time_and_the_processor(self):
        slices = []
        count = self.lent(1, rounds=8, trace=slices)
        self.assertGreater(count, 0)
        self.assertEqual(sum(map(len, slices)), count)
        cores = os.sched_getaffinity(0)
        for one in sum(slices, []):
            self.assertIsNotNone(one.end_ns)
            self.assertIn(one.arguments["processor"], cores)

    def test_threads_that_are_not_bound_keep_their_masks_too(self):
        self.lent(1, KMP_AFFINITY="none")

    def test_whatever_schedules(self):
        for schedule in ("usched", "static-steal", "awf-b", "feedback", "static", "auto"):
            with self.subTest(schedule=schedule):
                self.lent(1, GIMBAL_SCHEDULE=schedule)

    def test_nobody_lends_who_must_not(self):
        for variables in ({"GIMBAL_LEND": "off"}, {"OMP_NUM_THREADS": "1"}, {"KMP_BLOCKTIME": "0"},
                          {"OMP_NUM_THREADS": "9"}, {"KMP_FORKJOIN_BARRIER_PATTERN": "hierarchical,hierarchical",
                                                     "KMP_PLAIN_BARRIER_PATTERN": "hierarchical,hierarchical",
                                                     "KMP_REDUCTION_BARRIER_PATTERN": "hierarchical,hierarchical"}):
            with self.subTest(**variables):
                self.assertEqual(self.lent(0, **variables), 0)

    def test_nobody_lends_where_nested_teams_have_more_threads_than_there_are_cores(self):
        for compiler in ("clang", "gcc"):
            with self.subTest(compiler=compiler):
                # The first loop has no nested one before it, and who is off its core for long finds threads asleep.
                for _ in range(3):  # others on the machine may have that happen often
                    lent = self.lent(1, compiler, 20, more=["nested"], KMP_AFFINITY="none")
                    if lent < 15:
                        break
                self.assertLess(lent, 15)

    def test_other_barriers_are_left_alone(self):
        for pattern in ("linear,linear", "tree,tree", "dist,dist"):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.lent(1, KMP_FORKJOIN_BARRIER_PATTERN=pattern, KMP_PLAIN_BARRIER_PATTERN=pattern,
                                           KMP_REDUCTION_BARRIER_PATTERN=pattern), 0)


class SharedCores(unittest.TestCase):
    def test_are_looked_for_whether_threads_lend_theirs_or_not(self):
        for compiler in ("clang", "gcc"):
            program = OPTIONS.programs / f"shared_cores-{compiler}"
            if not program.is_file():
                continue
            for lend in ("on", "off"):
                with self.subTest(compiler=compiler, lend=lend):
                    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=RUN_LIMIT_S,
                                          check=False, env=clean_environment() | {
                                              "LD_PRELOAD": str(OPTIONS.library), "OMP_NUM_THREADS": "2",
                                              "GIMBAL_SCHEDULE": "auto", "GIMBAL_LEND": lend})
                    self.assertEqual(done.stdout, "looked\n", done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
