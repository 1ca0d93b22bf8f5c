# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/wild derives from its turns: whole times, what counts as disturbed, which schedule is the best."""
from __future__ import annotations

import random
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(BENCH), str(BENCH / "wild")]

import analysis  # noqa: E402
import costs  # noqa: E402
import virtual  # noqa: E402
from kinds import AUTO, FIXED, KINDS, STOCK, Kind  # noqa: E402


def turns(times: list[float], late: list[float] | None = None) -> dict[str, list[float]]:
    return {"ns": times, "late": late or [0.0] * len(times)}


def run(**schedules: dict[str, list[float]]) -> dict[str, object]:
    """auto stands for AUTO; other names as they are."""
    return {"schedules": {AUTO if name == "auto" else name: one for name, one in schedules.items()}}


KIND = Kind("loop", "", 500)
SHORT = Kind("short", "", 2)
CHAIN = Kind("chain", "", 3, chain=True)


class WholeTime(unittest.TestCase):
    def test_all_steps_count_the_dear_first_ones_too(self) -> None:
        one = run(auto=turns([500e3, 100e3, 100e3, 100e3]), static=turns([100e3] * 4))
        self.assertAlmostEqual(analysis.whole_time_ratio(one, AUTO, "static", 4).value, 2.0)
        self.assertAlmostEqual(analysis.whole_time_ratio(one, AUTO, "static", 1).value, 5.0)

    def test_a_turn_that_others_disturbed_leaves_both_sums(self) -> None:
        one = run(auto=turns([100e3, 900e3, 100e3, 100e3], [0, 800e3, 0, 0]),
                  static=turns([200e3, 50e3, 200e3, 200e3]))
        ratio = analysis.whole_time_ratio(one, AUTO, "static", 4)
        self.assertAlmostEqual(ratio.value, 0.5)
        self.assertTrue(ratio.gated)

    def test_where_most_turns_are_disturbed_the_quieter_half_counts_and_it_is_said(self) -> None:
        one = run(auto=turns([300e3, 120e3, 100e3, 150e3], [200e3, 20e3, 12e3, 90e3]), static=turns([100e3] * 4))
        ratio = analysis.whole_time_ratio(one, AUTO, "static", 4)
        self.assertFalse(ratio.gated)
        self.assertAlmostEqual(ratio.value, 220 / 200)

    def test_a_schedule_that_left_earlier_has_no_whole_time(self) -> None:
        one = run(auto=turns([100e3] * 4), guided=turns([50e3] * 2))
        self.assertIsNone(analysis.whole_time_ratio(one, AUTO, "guided", 4))
        self.assertIsNotNone(analysis.whole_time_ratio(one, AUTO, "guided", 2))

    def test_what_clocks_scatter_by_is_no_disturbance(self) -> None:
        self.assertEqual(analysis.undisturbed(turns([20e3, 1e6, 1e6], [9e3, 20e3, 40e3]), 3), [True, True, False])


class Bound(unittest.TestCase):
    COUNT = 200

    @staticmethod
    def noise(seed: int, sd: float) -> list[float]:
        source = random.Random(seed)
        return [100e3 * (1 + source.gauss(0, sd)) for _ in range(Bound.COUNT)]

    def test_thirteen_copies_of_one_schedule_are_beaten_by_luck_and_the_bound_says_so(self) -> None:
        names = STOCK[:13]
        excess, found = [], []
        for seed in range(20):
            one = run(auto=turns(self.noise(1000 * seed, 0.05)),
                      **{name: turns(self.noise(1000 * seed + k + 1, 0.05)) for k, name in enumerate(names)})
            excess.append(analysis.against_best([one], AUTO, names, self.COUNT).ratio - 1)
            found.append(analysis.luck([one], AUTO, names, self.COUNT) - 1)
        mean = sum(excess) / len(excess)
        self.assertGreater(mean, 0.003)
        self.assertAlmostEqual(sum(found) / len(found), mean, delta=0.5 * mean)

    def test_who_is_best_beyond_doubt_is_so_without_luck(self) -> None:
        one = run(auto=turns(self.noise(1, 0.01)), static=turns(self.noise(2, 0.01)),
                  guided=turns([0.8 * ns for ns in self.noise(3, 0.01)]))
        self.assertLess(analysis.luck([one], AUTO, ("static", "guided"), self.COUNT), 1.002)

    def test_what_is_hard_to_tell_apart_costs_most_and_what_a_model_tells_nothing(self) -> None:
        def price(slower: float, sd: float, count: int = self.COUNT) -> float:
            one = run(static=turns([100e3] * self.COUNT),
                      **{"gimbal:fac2": turns([slower * ns for ns in self.noise(4, sd)])})
            return analysis.price([one], ("static", "gimbal:fac2"), count)

        self.assertEqual(price(1.5, 0.01), 0)
        self.assertAlmostEqual(price(1.04, 1e-6), 0.04 / self.COUNT, places=5)
        self.assertGreater(price(1.04, 0.05), 5 * price(1.04, 0.005))
        self.assertGreater(price(1.02, 0.02, 50), price(1.02, 0.02))
        self.assertLessEqual(price(1.02, 1), 0.021 / 2)

    def test_luck_and_price_make_the_bound(self) -> None:
        ratio, worst = analysis.Ratio(1, True), analysis.Worst("static", 1.1, True)
        self.assertAlmostEqual(analysis.Mark(50, ratio, worst, worst, 1.02, 0.01).bound, 1.02 * 1.01)


class Best(unittest.TestCase):
    def test_the_best_is_by_whole_time_not_by_its_last_step(self) -> None:
        one = run(auto=turns([100e3, 100e3]), static=turns([90e3, 90e3]), guided=turns([200e3, 10e3]))
        self.assertEqual(analysis.against_best([one], AUTO, STOCK, 2).other, "static")

    def test_medians_over_runs_pick_it(self) -> None:
        runs = [run(auto=turns([100e3]), static=turns([time]), guided=turns([90e3])) for time in (10e3, 120e3, 120e3)]
        self.assertEqual(analysis.against_best(runs, AUTO, STOCK, 1).other, "guided")

    def test_stock_and_ours_are_apart(self) -> None:
        one = run(auto=turns([100e3]), static=turns([100e3]), **{"gimbal:feedback": turns([80e3])})
        mark = analysis.marks_of(KIND, [one], (1,))[0]
        self.assertEqual((mark.vs_stock.other, mark.vs_fixed.other), ("static", "gimbal:feedback"))
        self.assertAlmostEqual(mark.vs_fixed.ratio, 1.25)

    def test_marks_are_steps_and_a_turn_has_several(self) -> None:
        kind = Kind("loop", "", 2, burst=10)
        one = run(auto=turns([100e3] * 7), static=turns([100e3] * 7))
        self.assertEqual([mark.steps for mark in analysis.marks_of(kind, [one], (10, 50, 200))], [10, 50, 70])

    def test_runs_of_the_first_steps_count_as_far_as_they_go(self) -> None:
        kind = Kind("loop", "", 2, burst=10)
        whole = run(auto=turns([300e3] + [100e3] * 6), static=turns([100e3] * 7))
        first = run(auto=turns([120e3]), static=turns([100e3]))
        marks = analysis.marks_of(kind, [whole, first, first], (10, 50))
        self.assertEqual([mark.steps for mark in marks], [10, 50, 70])
        self.assertEqual([round(mark.vs_static.value, 3) for mark in marks], [1.2, 1.4, 1.286])
        self.assertEqual(analysis.steady_ns([whole, first], AUTO, kind), 10e3)


class Keys(unittest.TestCase):
    def marks(self, value: float, *steps: int) -> list[analysis.Mark]:
        ratio, worst = analysis.Ratio(value, True), analysis.Worst("guided", value, True)
        return [analysis.Mark(count, ratio, worst, worst) for count in steps]

    def test_the_largest_over_kinds_and_the_median(self) -> None:
        other, third = Kind("other", "", 500), Kind("third", "", 500)
        keys = analysis.keys_of({KIND: self.marks(1.0, 50, 200), other: self.marks(1.3, 50),
                                 third: self.marks(0.9, 50)})
        self.assertAlmostEqual(keys["wild_vs_best_stock_50"], 1.3)
        self.assertAlmostEqual(keys["wild_vs_best_stock_50_median"], 1.0)
        self.assertAlmostEqual(keys["wild_vs_best_stock_200"], 1.0)
        self.assertNotIn("wild_vs_best_stock_1000", keys)

    def test_chains_have_a_key_of_their_own_and_short_loops_one_without_them(self) -> None:
        keys = analysis.keys_of({KIND: self.marks(1.0, 50), SHORT: self.marks(3.0, 50), CHAIN: self.marks(1.7, 50)})
        self.assertAlmostEqual(keys["wild_vs_best_stock_50"], 3.0)
        self.assertAlmostEqual(keys["wild_vs_best_stock_50_20us"], 1.0)
        self.assertAlmostEqual(keys["chains_vs_best_stock"], 1.7)
        self.assertAlmostEqual(keys["wild_vs_static_worst"], 3.0)

    def test_the_empty_loop_says_what_an_execution_costs_more(self) -> None:
        empty = Kind("empty", "", 0.3, burst=10, probe=True)
        runs = {empty: [run(auto=turns([90e3, 4e3, 4e3, 4e3]), static=turns([3e3] * 4))]}
        self.assertAlmostEqual(analysis.short_keys(runs, {empty: self.marks(1, 40)})["entry_exit_ns"], 100)
        self.assertNotIn("wild_vs_best_stock_50", analysis.keys_of({empty: self.marks(9, 50)}))

    def test_the_background_thread_is_measured_by_all_cores(self) -> None:
        self.assertAlmostEqual(costs.background_share({"select_ns": 1e7, "wall_ns": 1e9, "threads": 2}), 0.005)


class Virtual(unittest.TestCase):
    def test_the_step_after_a_jump_is_told_apart(self) -> None:
        auto = [1.0] * 100
        auto[50] = 20.0
        row = virtual.compare("jump", 256, {"auto": auto, "static": [2.0] * 100, "static-steal": [1.0] * 100})
        self.assertAlmostEqual(row.after_jump, 20.0)
        self.assertEqual((row.best_stock, row.best_fixed), ("static", "static-steal"))
        self.assertAlmostEqual(virtual.keys([row])["jump_p256"], 1.19)


class Kinds(unittest.TestCase):
    def test_turns_fit_into_the_steps_and_names_differ(self) -> None:
        self.assertEqual(len({kind.name for kind in KINDS}), len(KINDS))
        for kind in KINDS:
            self.assertEqual(kind.steps % kind.burst, 0, kind.name)
            self.assertEqual(kind.prune % kind.burst, 0, kind.name)
        self.assertFalse(set(STOCK) & set(FIXED))


if __name__ == "__main__":
    unittest.main()
