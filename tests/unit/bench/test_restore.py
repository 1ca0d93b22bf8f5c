# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/restore compares the learnt split with."""
from __future__ import annotations

import importlib.util
import sys
import unittest
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(BENCH), str(BENCH / "restore")]

from harness import apps  # noqa: E402


def bench_restore() -> Any:
    """Every bench has a run.py, so not by its name."""
    spec = importlib.util.spec_from_file_location("bench_restore", BENCH / "restore/run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class SplitBesideTheBest(unittest.TestCase):
    def test_a_device_that_helps_nobody_loses_to_threads_alone(self) -> None:
        race = apps.Race({"threads alone": [1.0, 1.0], "learnt": [1.5, 1.5], "device 40%": [2.0, 2.0]}, {})
        best, ratio = bench_restore().learnt_over_best(race)
        self.assertEqual(best, "threads alone")
        self.assertAlmostEqual(ratio, 1.5)

    def test_a_fixed_split_that_is_faster_is_the_best(self) -> None:
        race = apps.Race({"threads alone": [3.0, 3.0], "learnt": [1.5, 1.5], "device 40%": [2.0, 2.0]}, {})
        self.assertEqual(bench_restore().learnt_over_best(race)[0], "device 40%")


if __name__ == "__main__":
    unittest.main()
