# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the bench harness promises: honest statistics, and a gate that refuses samples from busy cores.

Run from anywhere: python3 -m unittest discover -s tests/unit/bench
"""
from __future__ import annotations

import json
import random
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(BENCH), str(BENCH / "dispatch")]

from harness import apps, gate, runner, stats, table  # noqa: E402
from setting import Case, Setting, stand_in  # noqa: E402
import chunks  # noqa: E402


class FakeMachine:
    """A control job whose wall time is told in advance; the last time repeats for ever. CPU time is always 100 ns."""

    def __init__(self, *walls_ns: float) -> None:
        self.walls_ns = list(walls_ns)
        self.runs = 0

    def __call__(self) -> gate.ControlTimes:
        wall_ns = self.walls_ns[min(self.runs, len(self.walls_ns) - 1)]
        self.runs += 1
        return gate.ControlTimes(wall_ns, 100.0)


def python_variant(name: str, code: str, environment: dict[str, str] | None = None) -> runner.Variant:
    return runner.Variant(name, [sys.executable, "-c", code], environment or {})


def session_of(rounds: list[dict[str, tuple[float, float]]], best_ns: float = 100.0) -> runner.Session:
    """A finished session from {variant: (value, control wall time)} per round."""
    names = rounds[0]
    session = runner.Session([runner.Variant(name, ["true"]) for name in names], gate.Gate(FakeMachine(100), best_ns))
    session.rounds = [{name: gate.Reading({"ns": value}, control, control) for name, (value, control) in one.items()}
                      for one in rounds]
    session.tries = len(rounds) * len(names)
    return session


class Statistics(unittest.TestCase):
    def test_median_and_quartiles_of_known_values(self) -> None:
        self.assertEqual(stats.median([3, 1, 2]), 2)
        self.assertEqual(stats.median([4, 1, 2, 3]), 2.5)
        summary = stats.summarise([1, 2, 3, 4, 5])
        self.assertEqual((summary.low_quartile, summary.median, summary.high_quartile), (2, 3, 4))
        self.assertEqual(summary.interquartile_range, 2)

    def test_quantile_stays_between_the_extremes_and_rises_with_the_share(self) -> None:
        source = random.Random(3)
        for size in (1, 2, 3, 10, 101):
            values = [source.uniform(-5, 5) for _ in range(size)]
            quantiles = [stats.quantile(values, share / 20) for share in range(21)]
            self.assertEqual(quantiles, sorted(quantiles))
            self.assertEqual((quantiles[0], quantiles[-1]), (min(values), max(values)))

    def test_no_values_is_an_error_and_not_a_number(self) -> None:
        with self.assertRaises(ValueError):
            stats.median([])

    def test_bootstrap_interval_covers_the_true_median_about_as_often_as_it_says(self) -> None:
        source = random.Random(7)
        covered = 0
        for trial in range(100):
            low, high = stats.bootstrap_interval([source.gauss(1.0, 0.1) for _ in range(25)], draws=300, seed=trial)
            covered += low <= 1.0 <= high
        self.assertGreaterEqual(covered, 85)
        self.assertLessEqual(covered, 100)

    def test_bootstrap_interval_is_the_same_for_the_same_seed_and_narrows_with_more_values(self) -> None:
        source = random.Random(9)
        values = [source.gauss(1.0, 0.1) for _ in range(400)]
        self.assertEqual(stats.bootstrap_interval(values, seed=4), stats.bootstrap_interval(values, seed=4))
        few, many = stats.bootstrap_interval(values[:20]), stats.bootstrap_interval(values)
        self.assertLess(many[1] - many[0], few[1] - few[0])


class GateRules(unittest.TestCase):
    def test_the_worse_neighbour_decides(self) -> None:
        self.assertEqual(gate.score(100, 250, 100), 2.5)
        self.assertEqual(gate.score(250, 100, 100), 2.5)

    def test_strict_while_enough_samples_pass(self) -> None:
        self.assertEqual(gate.choose_tolerance([1.0, 1.05, 1.1, 3.0], 1.1, 3), (1.1, True))

    def test_too_few_passing_samples_widen_the_gate_and_say_so(self) -> None:
        self.assertEqual(gate.choose_tolerance([3.0, 1.0, 2.0, 5.0], 1.1, 3), (3.0, False))

    def test_fewer_samples_than_wanted_must_all_pass(self) -> None:
        self.assertEqual(gate.choose_tolerance([1.0, 1.02], 1.1, 5), (1.1, True))
        self.assertEqual(gate.choose_tolerance([1.0, 1.5], 1.1, 5), (1.5, False))

    def test_no_samples_is_never_gated(self) -> None:
        self.assertFalse(gate.choose_tolerance([], 1.1, 5)[1])

    def test_one_control_run_serves_two_samples(self) -> None:
        machine = FakeMachine(100)
        opened = gate.Gate(machine, 100, clock=lambda: 0.0)
        for _ in range(4):
            opened.read(lambda: 0)
        self.assertEqual(machine.runs, 5)

    def test_an_old_control_run_does_not_serve_the_next_sample(self) -> None:
        machine, now_s = FakeMachine(100), iter(range(100))
        opened = gate.Gate(machine, 100, clock=lambda: float(next(now_s)))
        for _ in range(4):
            opened.read(lambda: 0)
        self.assertEqual(machine.runs, 8)

    def test_waits_for_free_cores_before_a_sample(self) -> None:
        opened = gate.Gate(FakeMachine(300, 300, 101, 100), 100)
        reading = opened.read(lambda: "value")
        self.assertEqual((reading.value, reading.before_ns, reading.after_ns), ("value", 101, 100))

    def test_a_busy_core_after_the_sample_refuses_it(self) -> None:
        opened = gate.Gate(FakeMachine(100, 180), 100)
        self.assertGreater(opened.score(opened.read(lambda: 0)), opened.strict)

    def test_a_machine_that_is_always_busy_is_seen_although_calibration_saw_nothing_else(self) -> None:
        opened = gate.Gate(FakeMachine(200), best_ns=200.0)  # wall time 200 at CPU time 100
        self.assertAlmostEqual(opened.score(opened.read(lambda: 0)), 2.0)

    def test_patience_ends_when_hardly_anything_passes_and_returns(self) -> None:
        machine = FakeMachine(300)
        opened = gate.Gate(machine, 100)
        for _ in range(gate.RECENT):
            self.assertTrue(opened.patient())
            opened.read(lambda: 0)
        self.assertFalse(opened.patient())
        machine.walls_ns, machine.runs = [100], 0
        for _ in range(gate.RECENT):
            opened.read(lambda: 0)
        self.assertTrue(opened.patient())

    def test_a_machine_that_was_busy_during_calibration_gets_no_patience(self) -> None:
        opened = gate.Gate(FakeMachine(300), 100)
        opened.remember([300.0] * gate.RECENT)
        self.assertFalse(opened.patient())
        opened.remember([100.0] * gate.RECENT)
        self.assertTrue(opened.patient())


class Comparisons(unittest.TestCase):
    def test_ratio_is_the_median_of_the_ratios_within_rounds(self) -> None:
        # The machine gets ten times slower on the way: medians of times would say nothing, paired ratios still do.
        session = session_of([{"a": (2.0 * drift, 100), "b": (1.0 * drift, 100)} for drift in (1, 2, 4, 8, 10)])
        result = session.compare("a", "b")
        self.assertEqual((result.ratio, result.low, result.high, result.pairs), (2.0, 2.0, 2.0, 5))
        self.assertTrue(result.gated)

    def test_a_pair_counts_only_when_both_samples_were_quiet(self) -> None:
        quiet = {"a": (1.0, 100), "b": (1.0, 100)}
        session = session_of([quiet] * 5 + [{"a": (9.0, 100), "b": (1.0, 400)}, {"a": (9.0, 400), "b": (1.0, 100)}])
        result = session.compare("a", "b")
        self.assertEqual((result.ratio, result.pairs, result.gated), (1.0, 5, True))

    def test_an_ungated_ratio_comes_from_the_quietest_rounds_and_says_so(self) -> None:
        session = session_of([{"a": (1.0 + k, 200 + k), "b": (1.0, 200)} for k in range(9)])
        result = session.compare("a", "b", wanted=3)
        self.assertEqual((result.ratio, result.pairs, result.gated), (2.0, 3, False))

    def test_identical_variants_have_ratio_one_within_their_interval(self) -> None:
        source = random.Random(5)
        session = session_of([{"a": (source.gauss(1, 0.05), 100), "b": (source.gauss(1, 0.05), 100)}
                              for _ in range(200)])
        result = session.compare("a", "b")
        self.assertLess(abs(result.ratio - 1.0), 0.02)
        self.assertTrue(result.low <= 1.0 <= result.high)

    def test_acceptance_counts_refused_tries(self) -> None:
        session = session_of([{"a": (1.0, 100)}, {"a": (1.0, 300)}])
        session.tries = 4
        self.assertEqual(session.acceptance(), 0.25)


class BestOfSeveral(unittest.TestCase):
    def test_the_luckiest_of_equals_is_no_better_in_other_rounds(self) -> None:
        source = random.Random(1)
        names = [f"stock {k}" for k in range(8)]
        fair, lucky = [], []
        for _ in range(60):
            race = apps.Race({name: [source.gauss(100, 3) for _ in range(8)] for name in ("auto", *names)}, {})
            ratio, low, high = race.against_best("auto", names)
            self.assertTrue(low <= ratio <= high)
            fair.append(ratio)
            lucky.append(race.ratio("auto", race.best(names)))
        self.assertAlmostEqual(stats.median(fair), 1, delta=0.006)
        self.assertGreater(stats.median(lucky), 1.01)

    def test_what_is_slower_shows(self) -> None:
        race = apps.Race({"auto": [110.0] * 5, "static": [100.0] * 5, "guided": [130.0] * 5}, {})
        self.assertEqual(race.against_best("auto", ["static", "guided"]), (1.1, 1.1, 1.1))
        one = apps.Race({"auto": [110.0], "static": [100.0]}, {})
        self.assertAlmostEqual(one.against_best("auto", ["static"])[0], 1.1)


class Results(unittest.TestCase):
    def test_a_result_that_differs_in_any_round_is_named_with_its_variant_and_round(self) -> None:
        """A wrong result of an early round was forgotten when the last round was right."""
        class Variant:
            def __init__(self, name: str, *results: str) -> None:
                self.name, self.results = name, list(results)

            def run(self, padding: int) -> dict[str, Any]:
                return {"ns": 1.0, "checksum": self.results.pop(0)}

        with mock.patch.object(apps, "PAUSE_S", 0):
            for odd in range(3):
                results = ["7" if k == odd else "0" for k in range(3)]
                with self.assertRaisesRegex(runner.SampleError, f"results differ: .* in round {odd + 1} has checksum"):
                    apps.race([Variant("a", "0", "0", "0"), Variant("b", *results)], 3)
            with self.assertRaisesRegex(runner.SampleError, "results differ: a in round 2 has checksum 7, all runs "
                                        "before it 0"):
                apps.race([Variant("a", "0", "7")], 2)
            race = apps.race([Variant("a", "0", "0"), Variant("b", "0", "0")], 2)
        self.assertEqual((race.times, race.answers["b"]["checksum"]), ({"a": [1.0] * 2, "b": [1.0] * 2}, "0"))


class Running(unittest.TestCase):
    def test_every_variant_is_sampled_once_per_round_and_the_order_changes(self) -> None:
        seen: list[str] = []
        session = runner.Session([python_variant(name, "print('{\"ns\": 1.0}')") for name in "abc"],
                                 gate.Gate(FakeMachine(100), 100))
        session._sample = lambda variant: seen.append(variant.name) or gate.Reading({"ns": 1.0}, 100, 100)
        session.run(budget_s=60, max_rounds=8)
        rounds = [tuple(seen[k:k + 3]) for k in range(0, 24, 3)]
        self.assertTrue(all(sorted(one) == ["a", "b", "c"] for one in rounds))
        self.assertGreater(len(set(rounds)), 1)

    def test_the_budget_ends_the_session_after_at_least_one_round(self) -> None:
        session = runner.Session([python_variant("a", "print('{\"ns\": 1.0}')")], gate.Gate(FakeMachine(100), 100))
        session.run(budget_s=0)
        self.assertEqual(len(session.rounds), 1)

    def test_a_refused_sample_is_tried_again_and_the_quietest_is_kept(self) -> None:
        machine = FakeMachine(100, 300, 100, 150, 100, 100)
        session = runner.Session([python_variant("a", "print('{\"ns\": 1.0}')")], gate.Gate(machine, 100))
        session.run(budget_s=60, max_rounds=1)
        self.assertEqual(session.tries, 3)
        self.assertLessEqual(session.gate.score(session.rounds[0]["a"]), 1.1)

    def test_environment_reaches_the_program_and_the_last_line_is_read(self) -> None:
        code = "import os; print('noise'); print('{\"ns\": %s}' % os.environ['BENCH_VALUE'])"
        answer = python_variant("a", code, {"BENCH_VALUE": "7"}).run()
        self.assertEqual(answer["ns"], 7)
        self.assertGreater(answer["process_ns"], 0)

    def test_a_failing_program_is_named_with_its_status_and_words(self) -> None:
        with self.assertRaisesRegex(runner.SampleError, "odd one: exit status 3: gone"):
            python_variant("odd one", "import sys; sys.stderr.write('gone'); sys.exit(3)").run()
        with self.assertRaisesRegex(runner.SampleError, "not JSON"):
            python_variant("odd one", "print('hello')").run()


class Turns(unittest.TestCase):
    CODE = """import json, os, signal
times = []
for step in range(4):
    open(os.environ["SEEN"], "a").write(os.environ["NAME"] + str(step))
    times.append(float(os.environ["TIME"]))
    if step % int(os.environ["CAMPAIGN_TURN_STEPS"]) == 0: os.kill(0, signal.SIGSTOP)
print(json.dumps({"checksum": os.environ["SUM"], "loops": [{"name": "a", "times_s": times}]}))"""

    def variant(self, name: str, seen: Path, code: str = CODE, result: str = "0", timeout_s: float = 60) -> Any:
        return apps.AppVariant(name, [sys.executable, "-c", code], timeout_s=timeout_s, environment={
            "NAME": name, "SEEN": str(seen), "SUM": result, "TIME": str(ord(name) - ord("a") + 1)})

    def test_steps_of_all_alternate_and_each_is_timed_by_itself(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            seen = Path(folder) / "seen"
            race = apps.race_in_turns([self.variant(name, seen) for name in "ab"], 2, 1)
            steps = [said[1] for said in map("".join, zip(*[iter(seen.read_text())] * 2))]
        self.assertEqual(race.times, {"a": [4e9] * 2, "b": [8e9] * 2})
        self.assertEqual(steps, list("00112233") * 2)

    def test_who_never_stops_itself_fails_or_differs_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            seen = Path(folder) / "seen"
            for code, said in (("print('{}')", "b: exit status 0, 1 turns"), ("raise SystemExit('gone')", "b: .*gone")):
                with self.assertRaisesRegex(runner.SampleError, said):
                    apps.race_in_turns([self.variant("a", seen), self.variant("b", seen, code)], 1, 1)
            with self.assertRaisesRegex(runner.SampleError, "b: a turn took longer"):
                apps.race_in_turns([self.variant("b", seen, "import time; time.sleep(99)", timeout_s=0.2)], 1, 1)
            with self.assertRaisesRegex(runner.SampleError, "results differ"):
                apps.race_in_turns([self.variant("a", seen), self.variant("b", seen, result="1")], 1, 1)


class Tables(unittest.TestCase):
    def test_columns_are_aligned(self) -> None:
        lines = table.render("title", ["name", "ns"], [["a", 1.0], ["longer", 12345.6]]).splitlines()
        self.assertEqual(lines[0], "title")
        self.assertEqual({len(line) for line in lines[1:]}, {len("longer  12346")})

    def test_result_line_is_one_line_of_json_with_rounded_numbers(self) -> None:
        line = table.result_line({"ratio": 1.0349999, "inner": {"list": [1 / 3]}, "none": None})
        self.assertTrue(line.startswith("RESULT {"))
        self.assertEqual(json.loads(line[len("RESULT "):]), {"ratio": 1.035, "inner": {"list": [0.3333]}, "none": None})
        with self.assertRaises(ValueError):
            table.result_line({"ratio": float("nan")})


class Dispatch(unittest.TestCase):
    setting = Setting(Path("/p/libomp.so"), Path("/u/libomp.so"), Path("/b"), [0, 1])

    def test_gimbal_is_chosen_by_its_own_variable_and_upstream_by_omp_schedule(self) -> None:
        ours = self.setting.environment(Case("clang", "gimbal", "fac2", 2))
        self.assertEqual((ours["OMP_SCHEDULE"], ours["GIMBAL_SCHEDULE"], ours["LD_PRELOAD"]),
                         ("runtime", "fac2", "/p/libomp.so"))
        theirs = self.setting.environment(Case("clang", "upstream", "guided", 2))
        self.assertEqual((theirs["OMP_SCHEDULE"], theirs["LD_PRELOAD"]), ("guided", "/u/libomp.so"))
        self.assertNotIn("LD_PRELOAD", self.setting.environment(Case("gcc", "libgomp", "dynamic,1", 2)))

    def test_an_answer_from_another_runtime_is_refused(self) -> None:
        variant = self.setting.variant(Case("clang", "gimbal", "ss", 2), "loops", (1,))
        right = {"runtime": "/p/libomp.so", "gimbal": True, "threads": 2}
        variant.check(variant, right)
        for wrong in ({"runtime": "/u/libomp.so"}, {"gimbal": False}, {"threads": 1}):
            with self.assertRaises(runner.SampleError):
                variant.check(variant, right | wrong)

    def test_closest_prefers_guided_and_of_two_the_one_with_fewer_chunks(self) -> None:
        guided = {Case("clang", "upstream", f"guided,{c}", 2): count for c, count in ((1, 19), (8, 11), (16, 9))}
        self.assertEqual(chunks.closest(18, guided, 200).schedule, "guided,1")
        self.assertEqual(chunks.closest(10, guided, 200).schedule, "guided,16")

    def test_more_chunks_than_guided_can_make_are_compared_with_dynamic(self) -> None:
        guided = {Case("clang", "upstream", "guided", 2): 19.0}
        self.assertEqual(chunks.closest(100, guided, 200).schedule, "monotonic:dynamic,2")

    def test_an_a_a_run_uses_upstream_for_both(self) -> None:
        twice = Setting(Path("/p/libomp.so"), Path("/u/libomp.so"), Path("/b"), [0, 1], same_twice=True)
        environment = twice.environment(Case("clang", "gimbal", "ss", 2))
        self.assertEqual((environment["LD_PRELOAD"], environment["OMP_SCHEDULE"]),
                         ("/u/libomp.so", stand_in("ss")))
        self.assertNotIn("GIMBAL_SCHEDULE", environment)


if __name__ == "__main__":
    unittest.main()
