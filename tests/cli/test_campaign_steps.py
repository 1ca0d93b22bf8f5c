# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The analysis of campaigns: which loops and steps of which runs stand beside each other."""
import json
import unittest

from campaign_support import CampaignTest

from gimbal_campaign import design, measured, spec, store
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
        """A campaign's file. times: (configuration, repetition) -> loop -> loop times [s], or configuration -> loop -> ...;
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
            file.add(cell, outcome)
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


if __name__ == "__main__":
    unittest.main()
