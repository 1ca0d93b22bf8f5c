#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal run --elastic` on programs that know nothing of it: results are right, cores are lent and used, and a wrong
command line is refused."""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "omp"))
import perfetto  # noqa: E402

ARGUMENTS = None
LIMIT_S = 1200  # ends what hangs


class Elastic(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="elastic-", dir=ARGUMENTS.scratch))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def gimbal(self, *words, **settings):
        ours = ("GIMBAL_", "OMP_", "KMP_", "LD_")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return subprocess.run([ARGUMENTS.gimbal, "run", *words], env=kept | {"GIMBAL_CACHE": "off"} | settings,
                              cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S)

    def run_ranks(self, what, *options, ranks=2, **settings):
        done = self.gimbal("--mpiexec", ARGUMENTS.launcher, "-n", str(ranks), "-t", "1", "--elastic", "--output",
                           "run-%r.json", *options, "--", ARGUMENTS.program, what, **settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(f" {what} right\n"), ranks, done.stdout + done.stderr)
        return [json.loads((self.folder / f"run-{rank}.json").read_text()) for rank in range(ranks)], done.stderr

    def run_ranks_that_borrow(self, what, *options, **settings):
        """The same; where the machine is busy a core may not be lent for long enough: then once more."""
        for _ in range(5):
            records, said = self.run_ranks(what, *options, **settings)
            if all(self.borrowed_s(record) > 0 for record in records):
                break
        return records, said

    def borrowed_s(self, record):
        return sum(loop["borrowed_s"] for loop in record["loops"])

    def test_both_ranks_borrow_the_others_core(self):
        records, said = self.run_ranks_that_borrow("lend")
        for record in records:
            loops = record["loops"]
            self.assertGreater(self.borrowed_s(record), 0, said)
            reasons = {use["reason"] for loop in loops for use in loop["schedules"]}
            self.assertIn("cores lent by other ranks", reasons)
            for loop in loops:
                self.assertEqual(loop["iterations"], 24 * 40)
                self.assertEqual(sum(worker["iterations"] for worker in loop["per_worker"]), loop["iterations"], loop)
        self.assertIn("cores lent by other ranks", said)

    @unittest.skipUnless(perfetto.PROTOC, "protoc is not there (protobuf-compiler)")
    def test_a_trace_shows_lent_cores_and_calls_of_mpi(self):
        records, said = self.run_ranks_that_borrow("lend", "--trace", "run-%r.pftrace")
        for rank, record in enumerate(records):
            threads = perfetto.Trace(self.folder / f"run-{rank}.pftrace").threads()
            joined = [one for thread in threads for one in thread.slices if one.name == "on another rank's core"]
            self.assertGreater(len(joined), 0, said)
            for one in joined:
                self.assertIsNotNone(one.end_ns)
                self.assertEqual(one.arguments["rank on the node"], 1 - rank)
            counts = collections.Counter(one.name for thread in threads for one in thread.of("mpi"))
            told = collections.Counter()
            for path in record["mpi_waiting"]["paths"]:
                told[path["call"]] += path["calls"]
            self.assertEqual(told, counts, "the report and the trace do not agree")
            drawn = sum(one.arguments["iterations"] for thread in threads for one in thread.of("chunk"))
            self.assertEqual(drawn, sum(one.arguments["iterations"] for thread in threads for one in thread.of("loop")
                                        if one.arguments["reason"] == "cores lent by other ranks"
                                        and one.arguments["worker"] == 0), "chunks of loops that others may join")

    def test_every_iteration_runs_once_in_loops_of_all_shapes(self):
        records, said = self.run_ranks_that_borrow("shapes", OMP_CANCELLATION="true")
        self.assertGreater(sum(map(self.borrowed_s, records)), 0, said)

    def test_three_ranks(self):
        self.run_ranks("lend", ranks=3)

    def test_what_programs_see_of_their_teams(self):
        self.run_ranks("sizes")

    def test_a_region_that_asks_for_numbers_of_threads_has_those_that_were_told(self):
        records, said = self.run_ranks_that_borrow("numbers")
        for record in records:
            borrowed = {loop["name"].split()[-1]: loop["borrowed_s"] for loop in record["loops"]}
            for name, seconds in borrowed.items():
                if "simple" in name:
                    self.assertGreater(seconds, 0, said)
                else:
                    self.assertEqual(seconds, 0, said)
            self.assertEqual(len(borrowed), 2, said)
            self.assertEqual(record["regions_with_numbers"], 1, said)

    def test_a_region_that_asks_by_levels_has_the_threads_that_were_told(self):
        records, said = self.run_ranks("levels")
        for record in records:
            self.assertEqual([loop["borrowed_s"] for loop in record["loops"]], [0, 0], said)
            self.assertEqual(record["regions_with_numbers"], 2, said)

    def test_a_region_that_asks_late_is_told_its_own_threads(self):
        records, said = self.run_ranks_that_borrow("late")
        for record in records:
            self.assertGreater(self.borrowed_s(record), 0, said)

    def test_threads_that_ran_elsewhere_come_home(self):
        records, said = self.run_ranks_that_borrow("masks")
        for record in records:
            self.assertGreater(self.borrowed_s(record), 0, said)

    def test_a_child_is_no_rank(self):
        self.run_ranks("fork")

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor: ranks have no core of their own")
    def test_programs_that_a_rank_starts_may_run_everywhere(self):
        self.run_ranks("programs")

    def test_a_thread_that_binds_itself_to_its_ranks_core_stays_there_when_mpi_ends(self):
        self.run_ranks("bound")

    def test_wrong_command_lines_are_refused(self):
        for words, part in ((["--elastic"], "no other rank"), (["-n", "2", "--elastic", "--pin"], "--pin")):
            with self.subTest(words=words):
                done = self.gimbal(*words, "--", ARGUMENTS.program, "lend")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(part, done.stderr)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("gimbal", "program", "launcher", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest])
