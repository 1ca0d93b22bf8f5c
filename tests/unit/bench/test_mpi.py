# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether bench/mpi says of its figures that others used the cores meanwhile."""
from __future__ import annotations

import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(BENCH), str(BENCH / "mpi")]

from harness.gate import ControlTimes, Gate, Reading  # noqa: E402
from harness.runner import Session, Variant  # noqa: E402
import figures  # noqa: E402

NAME = "shared"


def session(*scores: float) -> Session:
    """A round for each score, whose draw took as many nanoseconds."""
    made = Session([Variant(NAME, ["none"])], Gate(lambda: ControlTimes(1, 1), best_ns=1))
    made.rounds = [{NAME: Reading({"ns": score, "atomic_ns": 1.0, "vs_atomic": score, "waits": 0}, score, score)}
                   for score in scores]
    return made


class Gated(unittest.TestCase):
    def test_three_quiet_rounds_are_gated_and_the_others_are_left_out(self) -> None:
        rows, gated = figures.latency(session(1.0, 1.02, 1.04, 9.0))
        self.assertEqual((rows[0][1], rows[0][-1], gated), (1.02, 3, True))

    def test_two_quiet_rounds_are_not_and_the_table_says_so(self) -> None:
        rows, gated = figures.latency(session(1.0, 1.02, 5.0, 9.0))
        self.assertEqual((rows[0][-1], gated), ("3*", False))


    def test_without_any_figure_nothing_is_gated(self) -> None:
        for parts, passed in ([], False), ([True, True], True), ([True, False], False):
            self.assertIs(figures.all_passed(parts), passed)


if __name__ == "__main__":
    unittest.main()
