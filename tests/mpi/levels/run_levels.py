#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks of threads: what both levels run is decided together, by all ranks alike, and a replay repeats it."""
import argparse
import csv
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ARGUMENTS = None
LIMIT_S = 1200  # ends what hangs
ITERATIONS = 600
# Iterations sleep, and so do threads that wait: those that spun took the cores from the other rank.
QUIET = {"GIMBAL_CACHE": "off", "GIMBAL_REPORT": "off", "KMP_BLOCKTIME": "0"}
STEPS = 120


def rows_of(path):
    """The rows of loops over ranks, and those of loops of threads, in the order of steps."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    over_ranks = [row for row in rows if row["loop"] == "pairs"]
    return over_ranks, [row for row in rows if row["loop"] != "pairs"]


def pair_of(row):
    return row["technique"].partition(",")[0], row["within"]


class Levels(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="levels-", dir=ARGUMENTS.scratch))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_ranks(self, threads=2, ranks=2, steps=STEPS, **settings):
        ours = ("GIMBAL_", "OMP_", "KMP_", "LD_")  # what `gimbal run` finds in LD_PRELOAD is the ranks' as well
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        done = subprocess.run([ARGUMENTS.gimbal, "run", "--mpiexec", ARGUMENTS.launcher, "-n", str(ranks), "-t",
                               str(threads), "--", ARGUMENTS.program, str(steps)], cwd=self.folder,
                              env=kept | QUIET | {"LD_PRELOAD": ARGUMENTS.yielding} | settings,
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(" 0 iterations ran another number of times"), ranks, done.stdout)
        return done

    def test_all_ranks_run_what_was_decided_for_both_levels_and_one_level_changes_at_a_time(self):
        self.run_ranks(GIMBAL_RECORD="run-%r.csv")
        over_ranks, _ = rows_of(self.folder / "run-0.csv")
        self.assertEqual(len(over_ranks), STEPS)
        together = [row for row in over_ranks if row["within"]]
        self.assertGreater(len(together), STEPS // 2, "the levels were not decided together")
        for before, after in zip(together, together[1:]):
            changed = sum(a != b for a, b in zip(pair_of(before), pair_of(after)))
            self.assertLessEqual(changed, 1, (before, after))
        decided = {row["within"] for row in together}
        for rank in range(2):
            _, inner = rows_of(self.folder / f"run-{rank}.csv")
            late = inner[len(inner) // 2:]
            self.assertTrue({row["technique"] for row in late} <= decided, f"rank {rank} chose for itself")

    def test_an_agent_moves_one_level_at_a_time_and_all_ranks_follow_it(self):
        self.run_ranks(GIMBAL_SELECT="levels", GIMBAL_RL_AGENT="sarsa", GIMBAL_PORTFOLIO="fac2 gss tss mfsc",
                       GIMBAL_RECORD="agent-%r.csv")
        over_ranks, _ = rows_of(self.folder / "agent-0.csv")
        together = [row for row in over_ranks if row["within"]]
        self.assertGreater(len(together), STEPS // 2, "the levels were not decided together")
        self.assertEqual({row["reason"] for row in together}, {"levels"})
        for before, after in zip(together, together[1:]):
            changed = sum(a != b for a, b in zip(pair_of(before), pair_of(after)))
            self.assertLessEqual(changed, 1, (before, after))
        self.assertGreater(len({pair_of(row) for row in together}), 4, "the agent explores")
        self.assertTrue(any(row["state"] and int(row["action"]) < 8 for row in together), "its steps are recorded")
        for rank in range(2):
            _, inner = rows_of(self.folder / f"agent-{rank}.csv")
            reasons = {row["reason"] for row in inner[len(inner) // 2:]}
            self.assertEqual(reasons, {"levels"}, f"rank {rank}")

    def test_a_replay_repeats_both_levels(self):
        self.run_ranks(GIMBAL_RECORD="first-%r.csv")
        self.run_ranks(GIMBAL_RECORD="second-%r.csv", GIMBAL_REPLAY="first-%r.csv")
        first, _ = rows_of(self.folder / "first-0.csv")
        second, inner = rows_of(self.folder / "second-0.csv")
        # A rank that is late lets an execution run as the one before, in either run.
        same = sum(pair_of(a) == pair_of(b) for a, b in zip(first, second, strict=True))
        self.assertGreater(same, STEPS * 0.9)
        last = {pair_of(row)[1] for row in second[-10:]}
        self.assertTrue({row["technique"] for row in inner[-5:]} <= last, (last, inner[-5:]))

    def test_chunks_of_ranks_have_several_iterations_for_each_thread(self):
        for transport in ("shared", "foreman"):
            self.run_ranks(threads=4, steps=8, GIMBAL_MPI_SCHEDULE="ss", GIMBAL_MPI_TRANSPORT=transport,
                           GIMBAL_RECORD="ss-%r.csv")
            over_ranks, _ = rows_of(self.folder / "ss-0.csv")
            self.assertGreater(int(over_ranks[0]["chunks"]), ITERATIONS // 2, "nothing is known of the threads yet")
            self.assertLessEqual(int(over_ranks[-1]["chunks"]), -(-ITERATIONS // 16), transport)
        self.run_ranks(threads=4, steps=8, GIMBAL_MPI_SCHEDULE="ss,1", GIMBAL_RECORD="one-%r.csv")
        over_ranks, _ = rows_of(self.folder / "one-0.csv")
        self.assertEqual(int(over_ranks[-1]["chunks"]), ITERATIONS, "a chunk that is named stands")

    def test_what_is_named_for_the_threads_stands(self):
        self.run_ranks(steps=20, GIMBAL_SCHEDULE="gss", GIMBAL_RECORD="named-%r.csv")
        for rank in range(2):
            over_ranks, inner = rows_of(self.folder / f"named-{rank}.csv") if rank == 0 else ([], rows_of(
                self.folder / "named-1.csv")[1])
            self.assertEqual({row["technique"] for row in inner}, {"gss"})
            self.assertEqual({row["within"] for row in over_ranks} - {""}, set())

    def test_three_ranks_and_other_transports(self):
        for transport in ("shared", "foreman", "hierarchical"):
            self.run_ranks(ranks=3, steps=20, GIMBAL_MPI_TRANSPORT=transport)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for word in ("gimbal", "program", "launcher", "scratch"):
        parser.add_argument(f"--{word}", required=True)
    parser.add_argument("--yielding", default="")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest], verbosity=2)
