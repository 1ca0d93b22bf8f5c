# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The analysis of campaigns: which loops and steps of which runs stand beside each other."""
import contextlib
import json
import os
import pathlib
import sqlite3
import tempfile
import unittest

from campaign_support import CampaignTest

from gimbal_campaign import common, design, measured, records, replay, spec, store
from gimbal_campaign.errors import CampaignError

SPEC = """
[campaign]
name = "try"
repetitions = 1
[[application]]
name = "one"
command = ["fine"]
[factors]
techniques = ["static", "ss"]
selectors = ["auto"]
"""


class Steps(CampaignTest):
    def write(self, times, loops=None):
        """A campaign's file. times: (configuration, repetition) -> loop -> loop times [s], or configuration -> ...;
        loops: what people read."""
        times = {key if isinstance(key, tuple) else (key, 0): value for key, value in times.items()}
        repetitions = 1 + max(repetition for _, repetition in times)
        wanted = spec.parse(SPEC.replace("repetitions = 1", f"repetitions = {repetitions}"))
        file = store.Store(self.work / "try.sqlite")
        file.begin(wanted, {})
        for cell in design.cells(wanted):
            name = cell.configuration.name
            outcome = store.Outcome("ok", 0, 200.0, "2026-01-01T00:00:00+00:00", 1, "x", "", loops=loops or {})
            outcome.steps = [(loop, step, 2, 10, cell.configuration.technique or "ss", "", 0, time_s, *[None] * 9)
                             for loop, row in times[name, cell.repetition].items() for step, time_s in enumerate(row)]
            file.add([cell], [outcome])
        return file

    def totals(self):
        """Configuration -> median total, as `summary` has it."""
        done = self.campaign("summary", "--json", "try.sqlite")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["configuration"]: row["total s"] for row in
                json.loads(done.stdout)["applications"]["one"]["rows"]}

    # A static function in a header that two files include: one name, two loops.
    SHARED = {"static": {"a.h:7 sweep": [1.0], "a.h:7 sweep+0x1300": [9.0]},
              "ss": {"a.h:7 sweep": [3.0], "a.h:7 sweep+0x1300": [3.0]},
              "auto": {"a.h:7 sweep": [3.0], "a.h:7 sweep+0x1300": [3.0]}}

    def test_two_loops_of_one_name_both_count(self):
        file = self.write(self.SHARED, {"a.h:7 sweep": "a.h:7 sweep", "a.h:7 sweep+0x1300": "a.h:7 sweep"})
        self.assertEqual(self.totals(), {"static": 10.0, "ss": 6.0, "auto": 6.0})
        best, = {one["best_fixed"] for one in
                 json.loads(self.campaign("summary", "--json", "try.sqlite").stdout)["applications"].values()}
        self.assertEqual(best, "ss")
        steps = measured.load(file)[0].series[0].runs[0].steps
        self.assertEqual([loop for loop, _ in steps], ["a.h:7 sweep", "a.h:7 sweep+0x1300"])

    def test_a_loop_whose_name_another_one_has_is_named_as_the_record_does_with_its_team(self):
        times = {name: {"app+0x10": [1.0], "app+0x10 (1 worker)": [1.0], "app+0x20": [1.0], "app+0x30": [1.0]}
                 for name in self.SHARED}
        file = self.write(times, {"app+0x10": "a.h:7 sweep", "app+0x20": "a.h:7 sweep", "app+0x30": "b.c:1 main"})
        self.assertEqual([loop for loop, _ in measured.load(file)[0].series[0].runs[0].steps],
                         ["a.h:7 sweep (app+0x10)", "a.h:7 sweep (app+0x10) (1 worker)", "a.h:7 sweep (app+0x20)",
                          "b.c:1 main"])

    def test_a_loop_that_another_build_of_the_program_records_otherwise_stays_one(self):
        times = {"static": {"app+0x10": [1.0]}, "ss": {"app+0x20": [2.0]}, "auto": {"app+0x20": [3.0]}}
        file = self.write(times, {"app+0x10": "a.h:7 sweep", "app+0x20": "a.h:7 sweep"})
        self.assertEqual({key for one in measured.load(file)[0].series for key in one.runs[0].steps},
                         {("a.h:7 sweep", 0)})

    def test_steps_that_would_be_lost_are_an_error(self):
        file = self.write({name: {"a": [1.0], "b": [1.0]} for name in self.SHARED})
        with self.assertRaises(CampaignError) as caught:
            measured.steps_of(file, file.runs()[0], {("one", "b"): "a"}, {})
        self.assertIn("loop and number of 1 step stand there twice", str(caught.exception))

    # Iterated to convergence: each technique takes another number of steps. In the first two static is the faster one.
    DIFFER = {("static", 0): {"L": [1.0, 1.0, 9.0]}, ("static", 1): {"L": [1.0, 1.0, 9.0, 9.0]},
              ("ss", 0): {"L": [2.0, 2.0]}, ("ss", 1): {"L": [2.0, 2.0]},
              ("auto", 0): {"L": [1.5, 1.5, 5.0]}, ("auto", 1): {"L": [1.5, 1.5]}}

    def test_what_is_compared_are_the_steps_that_all_runs_have_and_it_is_said(self):
        self.write(self.DIFFER)
        self.assertEqual(self.totals(), {"static": 2.0, "ss": 4.0, "auto": 3.0})
        for name in ("summary", "oracle", "similarity", "gain"):
            said = self.campaign(name, "try.sqlite").stderr
            self.assertIn("one: its runs differ in their steps; what is compared is the 2 steps of loops that all of "
                          "them have, 36 % of the loop time", said, name)
        line = self.campaign("summary", "--result", "try.sqlite").stdout.splitlines()[-1]
        self.assertEqual(json.loads(line.removeprefix("RESULT ")),
                         {"auto_vs_oracle": {"one": 1.5}, "auto_vs_oracle_virtual": {},
                          "auto_vs_left_out": {"one": 1.5}})

    def test_what_selecting_costs_is_of_whole_runs(self):
        self.write(self.DIFFER)
        done = self.campaign("overhead", "--json", "try.sqlite")
        self.assertEqual(done.stderr, "")
        self.assertEqual([(row["group"], row["loops s"]) for row in json.loads(done.stdout)],
                         [("fixed", (11 + 20 + 4 + 4) / 4), ("selector", (8 + 3) / 2)])

    def test_runs_without_a_step_in_common_are_refused(self):
        self.write({"static": {"L": [1.0]}, "ss": {"L (3 workers)": [1.0]}, "auto": {"L": [1.0]}})
        for name in ("summary", "oracle", "gain"):
            done = self.campaign(name, "try.sqlite")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn("try.sqlite: one: its runs have no step of a loop in common", done.stderr)

    def test_runs_that_are_alike_are_taken_as_they_are(self):
        file = self.write(self.SHARED)
        apps = measured.load(file)
        found, notes = common.comparable(apps)
        self.assertIs(found[0], apps[0])
        self.assertEqual(notes, [])

    def test_a_run_beside_a_replay_is_compared_in_the_steps_that_both_have(self):
        self.assertAlmostEqual(replay.over_replay("one", {("L", 0): 1.0, ("L", 1): 9.0}, {("L", 0): 1.5}), 50.0)
        with self.assertRaisesRegex(CampaignError, "one: the replay and the run beside it have no step"):
            replay.over_replay("one", {("L", 0): 1.0}, {("M", 0): 1.0})


VIRTUAL = """
[campaign]
name = "try"
repetitions = 1
[[application]]
name = "two"
kind = "virtual"
app = "pisolver:imbalance=20"
workers = 4
steps = 5
[factors]
techniques = ["static"]
agents = ["q"]
policies = ["softmax"]
rewards = ["looptime"]
"""


class Virtual(CampaignTest):
    def overhead(self):
        done = self.campaign("overhead", "--json", "try.sqlite")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {row["group"]: row for row in json.loads(done.stdout)}

    def test_what_selecting_takes_in_virtual_time_is_kept_beside_the_loops(self):
        self.stand_in = self.tool  # the real one, for this test
        done = self.campaign("run", self.write_spec(VIRTUAL))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = self.overhead()
        for group, words, env in (("fixed", ("--schedule", "static"), {}),
                                  ("rl", ("--select", "rl"), {"GIMBAL_RL_AGENT": "q", "GIMBAL_RL_POLICY": "softmax",
                                                              "GIMBAL_RL_REWARD": "looptime"})):
            said = json.loads(self.gimbal("simulate", "--app", "pisolver:imbalance=20", "--workers", 4, "--steps", 5,
                                          "--seed", 42, "--json", *words, env=env).stdout)
            row = found[group]
            self.assertAlmostEqual(row["selection s"], said["loops"][0]["learning_s"], places=9)
            self.assertAlmostEqual(row["loops s"] + row["selection s"], said["total_s"], places=5)
            self.assertAlmostEqual(row["us per step"], 1e6 * row["selection s"] / 5)
            self.assertAlmostEqual(row["selection %"], 100 * row["selection s"] / (row["loops s"] + row["selection s"]))
            self.assertEqual({row[name] for name in ("wall s", "outside loops s", "outside, over fixed s",
                                                     "handing out s", "exploring s")}, {None})
        self.assertGreater(found["rl"]["selection s"], 0)
        self.assert_nothing_left()

    def test_runs_of_before_it_was_kept_have_no_such_costs(self):
        self.assertEqual(self.campaign("run", self.write_spec(VIRTUAL)).returncode, 0)
        self.assertAlmostEqual(self.overhead()["rl"]["selection s"], 0.004)
        with contextlib.closing(sqlite3.connect(self.work / "try.sqlite")) as connection, connection:
            connection.execute("UPDATE runs SET selection_s = NULL")
        self.assertEqual(self.overhead(), {})
        self.assertIn("virtual time only", self.campaign("overhead", "try.sqlite").stdout)


class Output(unittest.TestCase):
    def test_of_what_a_program_prints_the_end_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "stderr")
            with path.open("wb") as file:
                file.truncate(1 << 40)  # takes no room
                file.seek(0, os.SEEK_END)
                file.write(b"last words\n")
            self.assertEqual(records.end_of(path, 20), 9 * "\0" + "last words\n")
            self.assertEqual(len(records.end_of(path)), records.MOST_OUTPUT)


if __name__ == "__main__":
    unittest.main()
