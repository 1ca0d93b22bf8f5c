# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/levels derives from the rounds of `auto` and of fixed pairs: the best pair, the ratio, luck."""
from __future__ import annotations

import random
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(BENCH), str(BENCH / "levels")]

import hybrid  # noqa: E402

PAIRS = [("gss", name) for name in ("static", "ss", "gss", "fac2")]
ROUNDS = 8


def noise(seed: int, sd: float) -> list[float]:
    source = random.Random(seed)
    return [0.01 * (1 + source.gauss(0, sd)) for _ in range(ROUNDS)]


class BestPair(unittest.TestCase):
    def test_the_ratio_is_made_within_rounds(self) -> None:
        best, ratio = hybrid.against_best([1.1, 2.2, 4.4], {PAIRS[0]: [1, 2, 4], PAIRS[1]: [3, 3, 3]})
        self.assertEqual(best, PAIRS[0])
        self.assertAlmostEqual(ratio, 1.1)

    def test_four_copies_of_one_pair_beat_auto_by_luck_and_it_says_so(self) -> None:
        excess, found = [], []
        for seed in range(200):
            times = {pair: noise(1000 * seed + place + 1, 0.05) for place, pair in enumerate(PAIRS)}
            auto = noise(1000 * seed, 0.05)
            excess.append(hybrid.against_best(auto, times)[1] - 1)
            found.append(hybrid.luck(auto, times) - 1)
        mean = sum(excess) / len(excess)
        self.assertGreater(mean, 0.01)
        self.assertAlmostEqual(sum(found) / len(found), mean, delta=0.5 * mean)

    def test_a_pair_that_is_best_beyond_doubt_is_so_without_luck(self) -> None:
        times = {pair: [0.01] * ROUNDS for pair in PAIRS[1:]} | {PAIRS[0]: [0.005] * ROUNDS}
        self.assertEqual(hybrid.luck([0.006] * ROUNDS, times), 1.0)

    def test_too_few_rounds_say_nothing_of_luck(self) -> None:
        self.assertEqual(hybrid.luck([1.0] * 3, {PAIRS[0]: [0.9, 1.1, 1.0]}), 1.0)


if __name__ == "__main__":
    unittest.main()
