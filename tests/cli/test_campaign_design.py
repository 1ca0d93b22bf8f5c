# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal campaign run`: specifications, the design, short runs beside the cells, and runs that are repeated."""
import json
import pathlib
import tomllib
import unittest
import unittest.mock

from campaign_support import CONFIGURATIONS, SPEC

from gimbal_campaign import design, pace, run, spec
from gimbal_campaign.errors import CampaignError
from gimbal_campaign.records import Outcome

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Specifications(unittest.TestCase):
    def refused(self, text, *parts):
        with self.assertRaises(CampaignError) as caught:
            design.configurations(spec.parse(text))
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_mistakes_are_named_with_the_nearest_word(self):
        self.refused(SPEC.replace("repetitions", "repetitons"), "[campaign]", '"repetitons"', 'mean "repetitions"')
        self.refused(SPEC.replace("techniques", "technique"), "[factors]", 'mean "techniques"')
        self.refused(SPEC.replace("workers", "threads"), "[[application]] two", '"threads"')
        self.refused(SPEC.replace('controls = ["none"]', 'controls = ["nune"]'), 'mean "none"')

    def test_values_of_the_wrong_kind_are_refused(self):
        self.refused(SPEC.replace("= 2", '= "2"'), "repetitions", "an integer")
        self.refused(SPEC.replace("= 2", "= 0"), "repetitions = 0 must be from 1 to 100000")
        self.refused(SPEC.replace("= 2", "= 2\nseed = -1"), "[campaign]", "seed = -1", "from 0 to 9007199254740991")
        self.refused(SPEC.replace("= 2", "= 2\nseed = 9007199254740992"), "seed")
        self.refused(SPEC.replace('["fine"]', '["{bulid}/x"]'), "placeholder", "bulid")
        self.refused(SPEC.replace('"ss"', '"static"'), "twice")
        self.refused(SPEC.replace('policies = ["softmax"]', ""), "go together")
        self.refused(SPEC.replace('name = "two"', 'name = "one"'), "two [[application]]")
        self.refused(SPEC + 'golden = ["yes"]\n', "golden")
        self.refused(SPEC.replace('command = ["fine"]', 'command = ["fine"]\npace_steps = 9', 1), "pace_steps",
                     "{steps}")
        self.refused(SPEC.replace('["auto"]', '["static"]'), 'two configurations are named "static"')
        self.refused("[campaign", "not TOML")
        self.refused('[campaign]\nname = "x"\n', "no [[application]]")

    def test_only_the_bare_names_are_placeholders(self):
        """Others passed the check and ended the campaign after --new had set the old file aside."""
        for word in ("{build.foo}", "{threads[0]}", "{}", "{0}", "{threads:03d}", "{build!r}", "{steps:{threads}}"):
            self.refused(SPEC.replace('["fine"]', f'["{word}"]'), "[[application]] one",
                         f"a placeholder that does not exist: {word}", "{build} {threads} {steps}")
        self.refused(SPEC.replace('["fine"]', '["{steps"]'), '"{steps"', "a brace itself is {{ or }}")
        found = spec.parse(SPEC.replace('["fine"]', '["{{}}{steps}"]\nsteps = 9'))
        self.assertEqual(found.applications[0].command, ("{{}}{steps}",))

    def test_what_no_program_can_be_given_is_refused(self):
        def one(more, command='["fine"]'):
            return SPEC.replace('command = ["fine"]', f"command = {command}\n{more}", 1)
        for text, part in ((one("", '["a\\u0000b"]'), "command"), (one('env = { A = "x\\u0000" }'), "env: A"),
                           (one('env = { "A\\u0000" = "x" }'), "env"),
                           (SPEC.replace('"fac2"', '"f\\u0000"'), "techniques"),
                           (SPEC.replace('app = "fine"', 'app = "f\\u0000"'), "app"),
                           (SPEC.replace("workers = 8", 'workers = 8\noptions = ["\\u0000"]'), "options")):
            self.refused(text, part, "holds a NUL")
        self.refused(one('env = { "A=B" = "x" }'), 'env: "A=B" can be no name')
        self.refused(one("", '["fine", [1]]'), "command: [1] is neither text nor number")
        self.refused(SPEC.replace("workers = 8", "workers = 8\noptions = [1979-05-27]"), "options")

    def test_numbers_have_an_end(self):
        for value in ("inf", "nan", "3e6", "1" + 400 * "0"):
            self.refused(SPEC.replace("= 2", f"= 2\ntimeout_s = {value}", 1), "[campaign]: timeout_s",
                         "from 0.1 to 2000000")
        self.refused(SPEC.replace("workers = 8", "workers = 8\ntimeout_s = inf"), "[[application]] two: timeout_s")
        self.refused(SPEC.replace("workers = 8", "workers = 99999999999999999999"), "workers", "from 1 to 1000000000")
        self.refused(SPEC.replace("= 2", f"= {5000 * '1'}", 1), "not TOML")
        self.refused('application = [1]\n[campaign]\nname = "x"\n', "application must be tables")

    def test_a_command_that_takes_steps_needs_them(self):
        """Without, every cell ran with --steps 0."""
        self.refused(SPEC.replace('["fine"]', '["fine", "--steps={steps}"]'), "[[application]] one",
                     "the command has {steps}, and steps is missing", "steps = 300")
        self.refused(SPEC.replace('["fine"]', '["fine", "{steps}"]\nsteps = 0'), "steps is missing")
        self.assertEqual(spec.parse(SPEC.replace('["fine"]', '["fine", "{{steps}}"]')).applications[0].steps, 0)
        before = tomllib.loads(SPEC.replace('["fine"]', '["fine", "{steps}"]'))
        self.assertEqual(spec.check(before).applications[0].steps, 0, "a file of runs, which is read as it is")
        self.refused(SPEC.replace('["fine"]', '["fine", "{{steps}}"]\npace_steps = 9'), "pace_steps needs {steps}")

    def test_turns_and_short_runs_exclude_each_other(self):
        both = '["fine", "{steps}"]\nsteps = 30\npace_steps = 9\nturn_steps = 2'
        self.refused(SPEC.replace('["fine"]', both, 1), "[[application]] one", "pace_steps and turn_steps")
        self.refused(SPEC.replace("workers = 8", "workers = 8\nturn_steps = 2"), "[[application]] two", '"turn_steps"')

    def test_keys_that_have_no_effect_are_refused(self):
        def campaign(keys, command='["fine"]'):
            return SPEC.replace("repetitions = 2", f"repetitions = 2\n{keys}").replace('["fine"]', command, 1)
        turns = '["fine"]\nturn_steps = 2'
        self.refused(campaign("retries = 2", turns), "[campaign]: retries has no effect", "turn_steps")
        self.refused(campaign("preemptions_per_s = 9", turns), "preemptions_per_s has no effect")
        self.refused(campaign("preemptions_per_s = 9"), "preemptions_per_s has no effect without retries")
        self.refused(campaign("retries = 2\nslower = 0.1"), "slower has no effect", "pace_steps")
        for text in (campaign("retries = 2\npreemptions_per_s = 9"),
                     campaign("retries = 2\nslower = 0.1", '["fine", "{steps}"]\nsteps = 30\npace_steps = 9'),
                     *(file.read_text() for file in (ROOT / "bench" / "campaigns").glob("*.toml"))):
            spec.parse(text)
        spec.check(tomllib.loads(campaign("retries = 2", turns)))  # of a file of runs, which is read as it is

    def test_comments_do_not_change_a_specification_and_values_do(self):
        self.assertEqual(spec.parse(SPEC).hash, spec.parse("# a remark\n" + SPEC).hash)
        self.assertNotEqual(spec.parse(SPEC).hash, spec.parse(SPEC.replace("workers = 8", "workers = 9")).hash)

    def test_the_canonical_form_is_the_same_specification(self):
        first = spec.parse(SPEC)
        self.assertEqual(spec.check(json.loads(first.text)), first)

    def test_wrong_values_are_shown_as_the_file_has_them(self):
        with self.assertRaisesRegex(CampaignError, "repetitions = true must be an integer"):
            spec.parse(SPEC.replace("repetitions = 2", "repetitions = true"))


class Design(unittest.TestCase):
    def test_every_cell_once_per_repetition_and_repetitions_one_after_the_other(self):
        cells = design.cells(spec.parse(SPEC))
        names = [(c.application.name, c.configuration.name, c.repetition) for c in cells]
        self.assertEqual(len(names), 2 * 2 * CONFIGURATIONS)
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([c.repetition for c in cells], sorted(c.repetition for c in cells))

    def test_the_order_is_shuffled_by_the_seed_and_differs_between_repetitions(self):
        def order(text, repetition):
            return [(c.application.name, c.configuration.name) for c in design.cells(spec.parse(text))
                    if c.repetition == repetition]
        self.assertEqual(order(SPEC, 0), order(SPEC, 0))
        self.assertNotEqual(order(SPEC, 0), order(SPEC, 1))
        other = SPEC.replace("repetitions = 2", "repetitions = 2\nseed = 7")
        self.assertNotEqual(order(SPEC, 0), order(other, 0))
        longer = SPEC.replace("repetitions = 2", "repetitions = 3")
        self.assertEqual(order(SPEC, 1), order(longer, 1))

    def test_cells_that_run_in_turns_are_one_batch_per_repetition_and_the_others_are_alone(self):
        cells = design.cells(spec.parse(SPEC.replace('["fine"]', '["fine"]\nturn_steps = 2')))
        batches = design.batches(cells)
        self.assertEqual(sorted(len(batch) for batch in batches), [1] * (2 * CONFIGURATIONS) + [CONFIGURATIONS] * 2)
        for batch in batches:
            self.assertEqual(len({(cell.application.name, cell.repetition) for cell in batch}), 1)
        self.assertEqual({id(cell) for batch in batches for cell in batch}, {id(cell) for cell in cells})

    def test_a_cell_that_is_missing_in_turns_has_its_repetition_run_again_with_it(self):
        """Alone it would be compared with what ran at another time."""
        cells = design.cells(spec.parse(SPEC.replace('["fine"]', '["fine"]\nturn_steps = 2')))

        def todo(*missing):
            done = {(cell.application.name, cell.configuration.name, cell.repetition) for cell in cells}
            found = design.to_run(cells, done - set(missing))
            return [(cell.application.name, cell.repetition) for cell in found]

        self.assertEqual(todo(), [])
        self.assertEqual(todo(("one", "ss", 1)), [("one", 1)] * CONFIGURATIONS)
        self.assertEqual(todo(("two", "ss", 1)), [("two", 1)], "it does not run in turns")

    def test_each_configuration_sets_the_variables_that_bring_it_about(self):
        wanted = spec.parse(SPEC + "golden = [false, true]\n")
        found = {one.name: one.variables() for one in design.configurations(wanted)}
        self.assertEqual(found["fac2"], {"GIMBAL_SCHEDULE": "fac2"})
        self.assertEqual(found["none"]["GIMBAL_RL_EPSILON"], "1")
        self.assertEqual(found["auto+golden"], {"GIMBAL_SELECT": "auto", "GIMBAL_GOLDEN_CHUNK": "on"})
        self.assertEqual(found["q-softmax-cov"], {"GIMBAL_SELECT": "rl", "GIMBAL_RL_AGENT": "q",
                                                  "GIMBAL_RL_POLICY": "softmax", "GIMBAL_RL_REWARD": "cov"})


class Paces:
    """Stands for pace.Pace: the short runs beside the cells were that much slower than usual."""

    def __init__(self, slower):
        self.slower = list(slower or [])

    def beside(self, _, once):
        outcome = once()
        outcome.slower = self.slower.pop(0)
        return outcome


class ShortRuns(unittest.TestCase):
    def pace(self, times_s):
        """A Pace whose short runs take these times; None: one that fails."""
        self.asked = []

        def runner(cell, _, seed):
            self.asked.append((cell.application.steps, cell.configuration.variables(), seed))
            time_s = times_s.pop(0)
            steps = [("loop", 0, 2, 1, "fac2", "", 0, time_s or 0.0)]
            return Outcome("ok" if time_s else "failed", 0, 1.0, "", seed, "", "", steps=steps)
        return pace.Pace(None, 7, runner)

    def setUp(self):
        text = SPEC.replace('command = ["fine"]', 'command = ["fine", "{steps}"]\nsteps = 30\npace_steps = 20', 1)
        self.app = spec.parse(text).applications[0]

    def test_the_slower_of_the_two_beside_a_cell_over_the_lower_quartile_of_all_counts(self):
        short = self.pace([1.0, 1.0, 1.0, 1.0, 1.5, 1.0, 1.2])
        outcome = short.beside(self.app, lambda: Outcome("ok", 0, 9.0, "", 1, "", ""))
        self.assertAlmostEqual(outcome.slower, 0.2)
        self.assertEqual(self.asked, [(20, {"GIMBAL_SCHEDULE": "fac2"}, 7)] * 7)
        self.assertEqual(outcome.columns()["slower"], outcome.slower)

    def test_one_that_fails_says_nothing_and_the_cell_runs(self):
        for times_s in ([None], [1.0] * 5 + [None, 1.0], [1.0] * 5 + [1.0, None]):
            self.assertIsNone(self.pace(times_s).beside(self.app, lambda: Outcome("ok", 0, 9.0, "", 1, "", "")).slower)


class Disturbed(unittest.TestCase):
    def kept(self, text, rates, kind="real", paces=None):
        """Which of the tries counts, if they were preempted that often per second; and how many tries there were."""
        tries = [Outcome("ok", 0, 2.0, "", 1, "", "", preemptions=2 * rate) for rate in rates]
        cell = next(cell for cell in design.cells(spec.parse(text)) if cell.application.kind == kind)
        with unittest.mock.patch.object(run, "run_cell", side_effect=tries) as running:
            found = run.quietest(spec.parse(text), cell, None, Paces(paces))
        return tries.index(found), running.call_count

    def test_a_disturbed_run_is_repeated_and_the_quietest_counts(self):
        text = SPEC.replace("repetitions = 2", "repetitions = 2\nretries = 2\npreemptions_per_s = 50")
        self.assertEqual(self.kept(text, [40, 1, 1]), (0, 1))
        self.assertEqual(self.kept(text, [90, 40, 1]), (1, 2))
        self.assertEqual(self.kept(text, [90, 70, 80]), (1, 3))
        self.assertEqual(self.kept(text, [90, 1, 1], "virtual"), (0, 1))
        self.assertEqual(self.kept(SPEC, [900, 1, 1]), (0, 1))

    def test_so_is_a_run_beside_which_the_machine_was_slow(self):
        text = SPEC.replace("repetitions = 2", "repetitions = 2\nretries = 2\nslower = 0.02")
        text = text.replace('command = ["fine"]', 'command = ["fine", "{steps}"]\nsteps = 30\npace_steps = 20', 1)
        self.assertEqual(self.kept(text, [1, 1, 1], paces=[0.01, 0, 0]), (0, 1))
        self.assertEqual(self.kept(text, [1, 2, 3], paces=[0.05, 0.01, 0]), (1, 2))
        self.assertEqual(self.kept(text, [1, 2, 3], paces=[0.05, 0.04, 0.06]), (1, 3))
        self.assertEqual(self.kept(text, [900, 2, 3], paces=[0.01, 0.03, 0.01]), (2, 3))


if __name__ == "__main__":
    unittest.main()
