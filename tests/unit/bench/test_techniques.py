# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/techniques derives from its samples: who is best, which ratios, and that nobody who fails is hidden."""
from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(BENCH), str(BENCH / "dispatch"), str(BENCH / "techniques")]

from harness.gate import ControlTimes, Gate  # noqa: E402
from harness.hog import Hog  # noqa: E402
from harness.runner import Comparison, Session, Variant  # noqa: E402
from setting import Case  # noqa: E402
import ranking  # noqa: E402
import roster  # noqa: E402
from race import Plan, Race, show  # noqa: E402
from ranking import Row  # noqa: E402
from roster import Entrant  # noqa: E402


def row(schedule: str, ns: float, runtime: str = "gimbal", efficiency: float = 0.9) -> Row:
    family = {"gimbal": "planned", "upstream": "libomp", "libgomp": "libgomp"}[runtime]
    return Row(Entrant(Case("clang", runtime, schedule, 2), family), ns, efficiency)


def compare_of(rows: list[Row]) -> ranking.Compare:
    """Ratios of the rows' own times."""
    times = {one.case: one.ns for one in rows}

    def compare(case: Case, baseline: Case) -> Comparison:
        ratio = times[case] / times[baseline]
        return Comparison(ratio, ratio, ratio, 5, 1.1, True)

    return compare


def keys(rows: list[Row]) -> dict[str, object]:
    return ranking.loop_keys(rows, compare_of(rows))


STOCK = [row("static", 200.0, "upstream"), row("guided", 100.0, "upstream"),
         row("monotonic:dynamic,16", 110.0, "upstream")]


class Ranking(unittest.TestCase):
    def test_best_is_gimbals_fastest_and_its_ratio_is_to_the_fastest_stock_schedule(self) -> None:
        found = keys([row("fac2", 90.0), row("gss", 95.0), *STOCK])
        self.assertEqual((found["best"], found["best_stock"]), ("fac2", "libomp guided"))
        self.assertAlmostEqual(found["best_vs_stock"], 0.9)

    def test_a_technique_with_the_name_of_a_stock_schedule_is_not_taken_for_it(self) -> None:
        found = keys([row("guided", 130.0), row("static", 210.0), *STOCK])
        self.assertEqual((found["best"], found["best_stock"]), ("guided", "libomp guided"))
        self.assertAlmostEqual(found["best_vs_stock"], 1.3)

    def test_best_is_gimbals_even_when_every_stock_schedule_is_faster(self) -> None:
        found = keys([row("fac2", 300.0), *STOCK])
        self.assertEqual(found["best"], "fac2")
        self.assertEqual(found["worst"], {"name": "fac2", "ratio": 3.0})

    def test_worst_is_gimbals_slowest_over_the_fastest_row_of_all(self) -> None:
        self.assertEqual(keys([row("fac2", 80.0), row("static", 160.0), *STOCK])["worst"],
                         {"name": "static", "ratio": 2.0})

    def test_worst_trap_looks_at_the_named_techniques_only(self) -> None:
        rows = [row("static", 500.0), row("tap", 150.0), row("awf-b", 120.0), row("fac2", 100.0), *STOCK]
        self.assertEqual(keys(rows)["worst_trap"], {"name": "tap", "ratio": 1.5})
        self.assertIsNone(keys([row("fac2", 100.0), *STOCK])["worst_trap"])

    def test_feedback_is_compared_with_the_fastest_other_row_stock_or_not(self) -> None:
        self.assertAlmostEqual(keys([row("feedback", 99.0), row("fac2", 120.0), *STOCK])["feedback_vs_best"], 0.99)
        self.assertAlmostEqual(keys([row("feedback", 99.0), row("fac2", 90.0), *STOCK])["feedback_vs_best"], 1.1)

    def test_without_feedback_its_ratio_is_null(self) -> None:
        self.assertIsNone(keys([row("fac2", 90.0), *STOCK])["feedback_vs_best"])

    def test_without_any_technique_or_any_stock_row_nothing_is_made_up(self) -> None:
        found = keys(STOCK)
        self.assertEqual([found[key] for key in ("best", "best_vs_stock", "worst", "worst_trap")], [None] * 4)
        self.assertIsNone(keys([row("fac2", 90.0)])["best_vs_stock"])
        self.assertIsNone(keys([])["best"])

    def test_the_gcc_program_is_compared_with_libgomp(self) -> None:
        rows = [row("fac2", 95.0), row("dynamic,64", 100.0, "libgomp"), row("static", 150.0, "libgomp")]
        self.assertEqual(ranking.gcc_keys(rows, compare_of(rows)),
                         {"gcc_best": "fac2", "best_libgomp": "libgomp dynamic,64", "best_vs_libgomp": 0.95})

    def test_drift_gives_the_efficiencies_of_feedback_and_of_the_fastest_fixed_schedule(self) -> None:
        rows = [row("feedback", 100.0, efficiency=0.98), row("fac2", 125.0, efficiency=0.8), *STOCK[:1]]
        self.assertEqual(ranking.drift_keys(rows, compare_of(rows)),
                         {"feedback_efficiency": 0.98, "best_fixed": "fac2", "best_fixed_efficiency": 0.8,
                          "feedback_vs_best_fixed": 0.8})

    def test_noise_compares_with_upstreams_schedules_and_is_null_for_what_does_not_exist(self) -> None:
        rows = [row("usched", 90.0), row("static", 1.0), row("guided", 1.0), *STOCK]
        one = {"usched_vs_static": 0.45, "usched_vs_guided": 0.9, "vsched_vs_static": None, "vsched_vs_guided": None}
        self.assertEqual(ranking.noise_keys([(10, rows, compare_of(rows))]), {**one, "by_length": {10: one}})

    def test_noise_is_the_geometric_mean_over_lengths(self) -> None:
        short, long = [row("usched", 50.0), *STOCK], [row("usched", 200.0), *STOCK]
        keys = ranking.noise_keys([(10, short, compare_of(short)), (20, long, compare_of(long))])
        self.assertAlmostEqual(keys["usched_vs_guided"], 1.0)
        self.assertEqual(keys["by_length"][20]["usched_vs_guided"], 2.0)
        self.assertEqual(ranking.noise_keys([]), {"by_length": {}})


class Roster(unittest.TestCase):
    def test_techniques_come_from_the_launcher(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            launcher = Path(folder) / "gimbal"
            listing = json.dumps([{"name": "fac2", "family": "planned"}, {"name": "new", "family": "lightweight"}])
            launcher.write_text(f"#!/bin/sh\n[ \"$*\" = 'info techniques --json' ] && echo '{listing}'\n")
            launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
            self.assertEqual(roster.listed(launcher), {"fac2": "planned", "new": "lightweight"})

    def test_a_filter_keeps_the_order_of_the_list_and_refuses_unknown_names(self) -> None:
        families = {"static": "planned", "fac2": "planned", "lws": "lightweight"}
        self.assertEqual(list(roster.chosen(families, ["lws", "static"])), ["static", "lws"])
        self.assertEqual(roster.chosen(families, None), families)
        with self.assertRaisesRegex(ValueError, "fac22"):
            roster.chosen(families, ["fac22"])

    def test_families_that_tune_themselves_warm_up_longer_than_others(self) -> None:
        tuned, planned = roster.ours({"usched": "lightweight", "fac2": "planned"}, "clang", 2)
        self.assertGreaterEqual(tuned.warm_ups, 60)
        self.assertLess(planned.warm_ups, tuned.warm_ups)

    def test_each_compiler_meets_its_own_stock_runtime(self) -> None:
        self.assertEqual({one.case.runtime for one in roster.stock("clang", 2)}, {"upstream"})
        self.assertEqual({one.case.runtime for one in roster.stock("gcc", 2)}, {"libgomp"})
        schedules = {one.case.schedule for one in roster.stock("clang", 2)}
        self.assertLessEqual({"static", "guided", "static_steal", "monotonic:dynamic,64"}, schedules)

    def test_noise_aware_techniques_are_told_by_name(self) -> None:
        for name in ("usched", "vsched", "lws", "lws-steal"):
            self.assertTrue(roster.is_noise_aware(name), name)
        for name in ("fac2", "static", "feedback"):
            self.assertFalse(roster.is_noise_aware(name), name)


def race_of(codes: dict[str, str]) -> Race:
    """A race of Python programs in place of loops, named by schedule."""
    entrants = [Entrant(Case("clang", "gimbal", schedule, 2), "planned") for schedule in codes]
    variants = [Variant(one.case.name, [sys.executable, "-c", codes[one.case.schedule]]) for one in entrants]
    gate = Gate(lambda: ControlTimes(1.0, 1.0), 1.0)
    return Race(Plan("uniform", 3, 1), Session(variants, gate), entrants, 10, {one.case: 4.0 for one in entrants})


def answer(ns: float) -> str:
    return f"print('{{\"ns\": {ns}, \"efficiency\": 0.5}}')"


class Races(unittest.TestCase):
    def test_one_that_fails_is_named_and_the_others_are_measured(self) -> None:
        race = race_of({"good": answer(20), "bad": "import sys; sys.exit('lost an iteration')", "better": answer(10)})
        race.run(0.0)
        self.assertEqual([one.name for one in race.rows()], ["better", "good"])
        self.assertEqual(len(race.failures), 1)
        self.assertIn("bad", race.failures[0])
        self.assertIn("lost an iteration", race.failures[0])

    def test_when_all_fail_the_table_says_so(self) -> None:
        race = race_of({"bad": "import sys; sys.exit(4)"})
        race.run(0.0)
        self.assertEqual(race.rows(), [])
        self.assertIn("nothing could be measured", show(race, "uniform"))

    def test_the_table_is_sorted_by_time_and_ungated_ratios_have_a_star(self) -> None:
        race = race_of({"slow": answer(30e6), "quick": answer(10e6)})
        race.run(0.0, max_rounds=1)
        lines = show(race, "uniform", gated=False).splitlines()
        self.assertEqual([line.split()[0] for line in lines[3:]], ["quick", "slow"])
        self.assertTrue(all(line.endswith("*") for line in lines[3:]))
        self.assertNotIn("*", show(race, "uniform"))

    def test_ratios_that_were_used_are_remembered(self) -> None:
        race = race_of({"a": answer(30), "b": answer(10)})
        race.run(0.0, max_rounds=1)
        a, b = (one.case for one in race.entrants)
        self.assertEqual(race.compare(a, b).ratio, 3.0)
        self.assertEqual(list(race.used), [(a, b)])


class Neighbour(unittest.TestCase):
    def test_the_hog_spins_on_its_core_and_is_gone_afterwards(self) -> None:
        core = max(os.sched_getaffinity(0))
        with Hog(core) as hog:
            self.assertTrue(hog.spins())
            self.assertEqual(os.sched_getaffinity(hog.pid), {core})
            pid = hog.pid
        self.assertFalse(hog.spins())
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_a_core_that_is_not_ours_is_an_error_and_leaves_no_hog(self) -> None:
        hog = Hog(max(os.sched_getaffinity(0)) + 4096)
        with self.assertRaises((OSError, ValueError)):
            hog.__enter__()
        self.assertFalse(hog.spins())


if __name__ == "__main__":
    unittest.main()
