# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal tune`: expressions, spaces and constraints, and how the end of a program is waited for."""
import json
import math
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import tune_support  # noqa: F401  # finds the two below

from gimbal_campaign.errors import CampaignError
from gimbal_campaign.process import wait_for_end
from gimbal_tune.encoding import scaled
from gimbal_tune.expressions import Expression
from gimbal_tune.run import Session
from gimbal_tune.search import Seen, levels
from gimbal_tune.space import Parameter, Space, filled, parameter, parse_parameter
from gimbal_tune.store import run_of
from gimbal_tune.values import number_of, value_of
from gimbal_tune.wanted import read_file


class Expressions(unittest.TestCase):
    def test_arithmetic_comparisons_and_words(self):
        names = {"x": 4, "y": 2, "kind": "gss"}
        for text, held in (("x * y <= 8", True), ("x % 3 == 0", False), ("kind in ('gss', 'ss') and x > y", True),
                           ("not x < y < 9", True), ("min(x, y) == 2", True), ("x // y if kind == 'ss' else False", False)):
            self.assertIs(Expression(text, names).holds(names), held, text)

    def test_anything_else_is_refused(self):
        for text in ("__import__('os').system('true')", "x.real", "x[0]", "lambda: 1", "open('x')", "x := 3", "x <", "2 ** x",
                     "[1 for _ in (1,)]", "f'{x}'"):
            with self.assertRaises(CampaignError, msg=text):
                Expression(text, ["x"])
        with self.assertRaises(CampaignError) as caught:
            Expression("blok_x < 3", ["block_x"])
        self.assertIn('mean "block_x"', str(caught.exception))

    def test_what_cannot_be_computed_is_one_error(self):
        for text in ("x / y > 1", "x * kind > 1"):
            with self.assertRaises(CampaignError):
                Expression(text, ["x", "y", "kind"]).holds({"x": 4, "y": 0, "kind": "gss"})

    def test_each_part_of_an_expression_is_computed_once(self):
        values = mock.MagicMock()
        values.__getitem__.return_value = 1
        self.assertTrue(Expression("x + x * (x - (x + (x - (x + x)))) < 9", ["x"]).holds(values))
        self.assertEqual(values.__getitem__.call_count, 7)

    def test_a_feature_is_a_finite_number_or_one_error_that_says_feature(self):
        names = ["x", "y", "kind"]
        self.assertEqual(Expression("(x + 3) // 4 * y", names, "feature").number({"x": 5, "y": 3, "kind": "gss"}), 6.0)
        for text in ("kind", "x / (y - 3)", "(x, y)"):
            with self.assertRaises(CampaignError, msg=text) as caught:
                Expression(text, names, "feature").number({"x": 5, "y": 3, "kind": "gss"})
            self.assertIn("feature", str(caught.exception))


class Waiting(unittest.TestCase):
    def test_the_end_of_a_program_is_waited_for_without_looking_now_and_then(self):
        with mock.patch("time.sleep", side_effect=AssertionError("it sleeps between looks")):
            for status in (0, 3):
                self.assertEqual(wait_for_end(subprocess.Popen(["sh", "-c", f"sleep 0.1; exit {status}"]), 600), status)

    def test_a_program_that_takes_too_long_is_told(self):
        process = subprocess.Popen(["sleep", "600"])
        try:
            with self.assertRaises(subprocess.TimeoutExpired):
                wait_for_end(process, 0.05)
        finally:
            process.kill()
            process.wait()


class Scales(unittest.TestCase):
    def test_factors_count_in_what_is_made_large_as_in_what_is_made_small(self):
        small = levels([Seen(0, 2.0), Seen(1, 20.0), Seen(2, None)], True)
        large = levels([Seen(0, -1 / 2.0), Seen(1, -1 / 20.0), Seen(2, None)], True)
        for one, other in zip(small, large):
            self.assertAlmostEqual(one, other)
        self.assertEqual(levels([Seen(0, -2.0), Seen(1, 3.0), Seen(2, 0.0)], True), [-2.0, 3.0, 0.0], "signs differ")
        self.assertEqual(levels([Seen(0, 2.0), Seen(1, 3.0)], False), [2.0, 3.0], "as the seed's models have it")

    def noise(self, sign, *repeats):
        """Of a session whose configurations measured these values."""
        session = mock.Mock()
        session.wanted.sign.return_value, session.wanted.repeats = sign, 1
        session.configurations.return_value = [
            (index, [mock.Mock(value=value) for value in values]) for index, values in enumerate(repeats)]
        return Session.noise(session)

    def test_noise_is_in_the_unit_of_what_the_models_see(self):
        factors = math.log(1.1) ** 2 / 2  # variance of two values that differ by a tenth
        self.assertAlmostEqual(self.noise(1, [100.0, 110.0], [5.0]), factors)
        self.assertAlmostEqual(self.noise(-1, [100.0, 110.0], [5.0]), factors)
        self.assertAlmostEqual(self.noise(1, [-100.0, -110.0], [5.0]), 50.0, msg="as they are, where signs differ")
        self.assertAlmostEqual(self.noise(1, [0.0, 2.0]), 2.0, msg="zero has no logarithm")
        self.assertAlmostEqual(self.noise(-1, [100.0, 110.0], [0.0, 9.0]), factors, msg="this one has none")
        self.assertIsNone(self.noise(-1, [100.0], [110.0]))


class Spaces(unittest.TestCase):
    def test_constraints_choose_and_what_is_not_used_is_one(self):
        space = Space([parse_parameter("schedule: auto fac2,{chunk}"), parse_parameter("chunk: 1 8 64"),
                       parse_parameter("x: 1 2 3")], ["x != 2"], ["./app", "{x}"], ["schedule"])
        pool = space.pool()
        self.assertEqual(len(pool), (1 + 3) * 2)
        self.assertEqual(pool[space.today(pool)], {"schedule": "auto", "chunk": 1, "x": 1})
        self.assertIn("fac2,64", [filled(one["schedule"], one) for one in pool])

    def test_one_thread_needs_no_schedule_and_one_rank_none_of_ranks(self):
        names = ("ranks", "threads", "schedule", "mpi_schedule")
        space = Space([Parameter("ranks", (1, 2)), Parameter("threads", (1, 2)), Parameter("schedule", ("ss", "gss")),
                       Parameter("mpi_schedule", ("ss", "gss"))], [], [], names)
        self.assertEqual(len(space.pool()), 1 + 2 + 2 + 4)

    def test_quotes_keep_a_value_with_blanks_together(self):
        self.assertEqual(parse_parameter("flags: '-O2 -g' -O3 \"it's\"").values, ("-O2 -g", "-O3", "it's"))
        with self.assertRaises(CampaignError) as caught:
            parse_parameter("flags: '-O2 -g")
        self.assertIn("--parameter flags: '-O2 -g: a quote is not closed", str(caught.exception))

    def test_the_program_gets_the_words_as_they_are_written_and_models_see_their_numbers(self):
        parameters = [parse_parameter("x: 008 1e6 1_000 16 0.50"), parse_parameter("y: 1 02")]
        space = Space(parameters, ["x >= 8 or y == 1"], ["{x}", "{y}"])
        pool = space.pool()
        self.assertEqual([filled("{x}/{y}", one) for one in pool],
                         ["008/1", "008/02", "1e6/1", "1e6/02", "1_000/1", "1_000/02", "16/1", "16/02", "0.50/1"])
        self.assertEqual(parameters[0].numbers, [8, 1000000.0, 1000, 16, 0.5])
        self.assertTrue(parameters[0].logarithmic)
        found = [scaled(parameters[0], value) for value in parameters[0].values]
        self.assertEqual((found[-1], found[1]), (0.0, 1.0))
        self.assertAlmostEqual(found[0], math.log(8 / 0.5) / math.log(1e6 / 0.5))
        self.assertEqual(parse_parameter("threads: 04 2").values, (4, 2), "what Gimbal itself reads is a number")
        self.assertEqual(filled("{x:04d}", {"x": parse_parameter("x: 008").values[0]}), "0008")

    def test_what_a_file_of_runs_gives_back_is_the_same_word_with_the_same_number(self):
        for word in ("008", "1e6", "word"):
            before = value_of(word)
            after = run_of(("search", json.dumps({"x": before}), "today", None, "ok", 1.0, 1.0, "")).configuration["x"]
            self.assertEqual((after, hash(after), number_of(after)), (before, hash(before), number_of(before)))

    def test_a_sample_of_very_many_does_not_depend_on_the_order_of_the_parameters(self):
        parameters = [parse_parameter(f"{name}: 1 2 3 4 5 6 7 8") for name in "abc"]
        with mock.patch("gimbal_tune.space.MOST_PRODUCTS", 100):
            pools = [Space(order, (), ["{a}", "{b}", "{c}"]).pool(7) for order in (parameters, parameters[::-1])]
        seen = [{tuple(sorted(one.items())) for one in pool} for pool in pools]
        self.assertEqual(seen[0], seen[1])
        self.assertTrue(50 < len(seen[0]) <= 100)

    def test_numbers_in_a_file_of_a_space_keep_their_spelling_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "space.toml"
            path.write_text('[parameters]\nx = [1e6, 2.50, 8]\n')
            one, = read_file(path)[0]
        self.assertEqual(([str(value) for value in one.values], one.numbers), (["1e6", "2.50", "8"], [1e6, 2.5, 8]))

    def test_mistakes_are_one_error_each(self):
        def space(*texts, constraints=(), words=("{x}",)):
            return Space([parse_parameter(text) for text in texts], constraints, words).pool()
        for wrong in (lambda: space("x 1 2"), lambda: space("x: 1 1"), lambda: space("x:"), lambda: space("1x: 2"),
                      lambda: space("x: 1", "y: 2"), lambda: space("x: 1", words=("{z}",)),
                      lambda: space("x: 1", words=("{x",)), lambda: space("x: 1", words=("{x!z}",)),
                      lambda: space("x: 1 a", words=("{x:03d}",)), lambda: parameter("x", ["a\0"]),
                      lambda: space("x: 1 2", constraints=["x > 2"]),
                      lambda: space("ranks: 0 1", words=()), lambda: space("x: 1", "x: 2")):
            self.assertRaises(CampaignError, wrong)


if __name__ == "__main__":
    unittest.main()
