#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks of threads: what both levels run is decided together, by all ranks alike, and a replay repeats it."""
import argparse
import csv
import functools
import itertools
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
# Ranks, and what makes them draw so: two nodes with two ranks on the first, where ranks of a node share chunks.
TRANSPORTS = {"shared": (2, {}), "foreman": (2, {}), "hierarchical": (3, {"GIMBAL_MPI_NODE_RANKS": "2"})}
BY_MESSAGES = ("foreman", "hierarchical")


def rows_of(path):
    """The rows of loops over ranks, and those of loops of threads, in the order of steps."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    over_ranks = [row for row in rows if row["loop"] == "pairs"]
    return over_ranks, [row for row in rows if row["loop"] != "pairs"]


def pair_of(row):
    return row["technique"].partition(",")[0], row["within"]


def under(*transports):
    """A test that holds under each of these, and gets its name."""
    def repeated(test):
        @functools.wraps(test)
        def run(self):
            for transport in transports:
                with self.subTest(transport=transport):
                    test(self, transport)
        return run
    return repeated


class Levels(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="levels-", dir=ARGUMENTS.scratch))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_ranks(self, transport="shared", threads=2, ranks=0, steps=STEPS, moved=-1, **settings):
        usual, nodes = TRANSPORTS[transport]
        ranks = ranks or usual
        ours = ("GIMBAL_", "OMP_", "KMP_", "LD_")  # what `gimbal run` finds in LD_PRELOAD is the ranks' as well
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        chosen = {"LD_PRELOAD": ARGUMENTS.yielding, "GIMBAL_MPI_TRANSPORT": transport} | nodes
        done = subprocess.run([ARGUMENTS.gimbal, "run", "--mpiexec", ARGUMENTS.launcher, "-n", str(ranks), "-t",
                               str(threads), "--", ARGUMENTS.program, str(steps), str(moved)], cwd=self.folder,
                              env=kept | QUIET | chosen | settings, capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(" 0 iterations ran another number of times"), ranks, done.stdout)
        return done

    def rows(self, name, transport):
        """The rows of the loop over ranks, and for each rank those of its loops of threads."""
        of_ranks = [rows_of(self.folder / f"{name}-{rank}.csv") for rank in range(TRANSPORTS[transport][0])]
        return of_ranks[0][0], [inner for _, inner in of_ranks]

    def expect_one_level_at_a_time(self, over_ranks):
        """@return the rows of which both levels were decided, and those are more than half"""
        together = [row for row in over_ranks if row["within"]]
        self.assertGreater(len(together), STEPS // 2, "the levels were not decided together")
        for before, after in zip(together, together[1:]):
            changed = sum(a != b for a, b in zip(pair_of(before), pair_of(after)))
            self.assertLessEqual(changed, 1, (before, after))
        return together

    @under(*TRANSPORTS)
    def test_all_ranks_run_what_was_decided_for_both_levels_and_one_level_changes_at_a_time(self, transport):
        self.run_ranks(transport, GIMBAL_RECORD="run-%r.csv")
        over_ranks, of_ranks = self.rows("run", transport)
        self.assertEqual(len(over_ranks), STEPS)
        together = self.expect_one_level_at_a_time(over_ranks)
        self.assertTrue(over_ranks[-1]["within"], "the levels were given up")
        decided = {row["within"] for row in together}
        for rank, inner in enumerate(of_ranks):
            late = inner[len(inner) // 2:]
            self.assertTrue({row["technique"] for row in late} <= decided, f"rank {rank} chose for itself")

    @under(*TRANSPORTS)
    def test_pairs_are_predicted_from_what_the_threads_measured(self, transport):
        self.run_ranks(transport, steps=2 * STEPS, GIMBAL_RECORD="tried-%r.csv")
        over_ranks, _ = self.rows("tried", transport)
        self.assertGreater(len({pair_of(row) for row in over_ranks if row["within"]}), 1, "there was no profile")

    @under(*TRANSPORTS)
    def test_an_agent_moves_one_level_at_a_time_and_all_ranks_follow_it(self, transport):
        self.run_ranks(transport, GIMBAL_SELECT="levels", GIMBAL_RL_AGENT="sarsa",
                       GIMBAL_PORTFOLIO="fac2 gss tss mfsc", GIMBAL_RECORD="agent-%r.csv")
        over_ranks, of_ranks = self.rows("agent", transport)
        together = self.expect_one_level_at_a_time(over_ranks)
        self.assertEqual({row["reason"] for row in together}, {"levels"})
        self.assertGreater(len({pair_of(row) for row in together}), 4, "the agent explores")
        self.assertTrue(any(row["state"] and int(row["action"]) < 8 for row in together), "its steps are recorded")
        for rank, inner in enumerate(of_ranks):
            self.assertEqual({row["reason"] for row in inner[len(inner) // 2:]}, {"levels"}, f"rank {rank}")

    @under(*TRANSPORTS)
    def test_a_replay_repeats_both_levels(self, transport):
        # Without messages a rank that is late lets an execution run as the one before, in either run: where the machine
        # is busy, once more.
        least = STEPS if transport in BY_MESSAGES else STEPS * 9 // 10
        for _ in range(1 if transport in BY_MESSAGES else 3):
            self.run_ranks(transport, GIMBAL_RECORD="first-%r.csv")
            self.run_ranks(transport, GIMBAL_RECORD="second-%r.csv", GIMBAL_REPLAY="first-%r.csv")
            first, _ = self.rows("first", transport)
            second, of_ranks = self.rows("second", transport)
            same = sum(pair_of(a) == pair_of(b) for a, b in zip(first, second, strict=True))
            if same >= least:
                break
        self.assertGreaterEqual(same, least)
        last = {pair_of(row)[1] for row in second[-10:]}
        for inner in of_ranks:
            self.assertTrue({row["technique"] for row in inner[-5:]} <= last, (last, inner[-5:]))

    @under(*BY_MESSAGES)
    def test_every_rank_runs_the_very_execution_as_it_was_decided(self, transport):
        self.run_ranks(transport, steps=4, GIMBAL_RECORD="written-%r.csv")
        decided = [("gss", "tss", "fac2")[step % 3] for step in range(STEPS)]
        with (self.folder / "written-0.csv").open(newline="") as file:
            rows = csv.DictReader(file)
            fields, one = rows.fieldnames, next(row for row in rows if row["loop"] == "pairs")
        with (self.folder / "decided.csv").open("w", newline="") as file:
            written = csv.DictWriter(file, fields, lineterminator="\n")
            written.writeheader()
            written.writerows(one | {"step": step, "technique": "static", "within": within}
                              for step, within in enumerate(decided))
        self.run_ranks(transport, GIMBAL_REPLAY="decided.csv", GIMBAL_RECORD="followed-%r.csv")
        _, of_ranks = self.rows("followed", transport)
        for rank, inner in enumerate(of_ranks):
            runs = [technique for technique, _ in itertools.groupby(row["technique"] for row in inner)]
            self.assertEqual(runs, decided, f"rank {rank}")

    @under(*TRANSPORTS)
    def test_chunks_of_ranks_have_several_iterations_for_each_thread(self, transport):
        self.run_ranks(transport, threads=4, steps=8, GIMBAL_MPI_SCHEDULE="ss", GIMBAL_RECORD="ss-%r.csv")
        over_ranks, _ = self.rows("ss", transport)
        self.assertGreater(int(over_ranks[0]["chunks"]), ITERATIONS // 2, "nothing is known of the threads yet")
        self.assertLessEqual(int(over_ranks[-1]["chunks"]), -(-ITERATIONS // 16))
        self.run_ranks(transport, threads=4, steps=8, GIMBAL_MPI_SCHEDULE="ss,1", GIMBAL_RECORD="one-%r.csv")
        over_ranks, _ = self.rows("one", transport)
        self.assertEqual(int(over_ranks[-1]["chunks"]), ITERATIONS, "a chunk that is named stands")

    @under(*TRANSPORTS)
    def test_what_is_named_for_the_threads_stands(self, transport):
        self.run_ranks(transport, steps=20, GIMBAL_SCHEDULE="gss", GIMBAL_RECORD="named-%r.csv")
        over_ranks, of_ranks = self.rows("named", transport)
        for inner in of_ranks:
            self.assertEqual({row["technique"] for row in inner}, {"gss"})
        self.assertEqual({row["within"] for row in over_ranks} - {""}, set())

    @under(*TRANSPORTS)
    def test_what_runs_while_threads_of_any_rank_are_moved_teaches_nothing_but_one_step_in_three(self, transport):
        steps = 60
        learnt = {}
        for moved in (-1, 0, 1):
            self.run_ranks(transport, steps=steps, moved=moved, GIMBAL_SELECT="qlearn", GIMBAL_SCHEDULE="static",
                           GIMBAL_RECORD=f"moved{moved}-%r.csv")
            over_ranks, _ = self.rows(f"moved{moved}", transport)
            learnt[moved] = sum(bool(row["reward"]) for row in over_ranks)
        self.assertGreater(learnt[-1], 0.8 * steps, learnt)
        for moved in (0, 1):
            self.assertLess(learnt[moved], 0.5 * steps, learnt)
            self.assertGreater(learnt[moved], 0.2 * steps, learnt)

    @under(*TRANSPORTS)
    def test_three_ranks(self, transport):
        self.run_ranks(transport, ranks=3, steps=20)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for word in ("gimbal", "program", "launcher", "scratch"):
        parser.add_argument(f"--{word}", required=True)
    parser.add_argument("--yielding", default="")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest], verbosity=2)
