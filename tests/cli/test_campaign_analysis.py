# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The analysis of campaigns: against numbers made by hand, against scipy, and the report."""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest

from campaign_support import CONFIGURATIONS, SOURCES, SPEC, CampaignTest
from support import ToolTest

from gimbal_campaign import design, figures, gain, measured, oracle, similarity, spec, store, summary
from gimbal_campaign.measured import AppData, Run, Series, Step


def by_hand():
    """One loop of three steps. a static, b ss; two repetitions each; one selector.

    Medians: static 2 4 6, ss 3 3 6.5; so the Oracle takes static, ss, static: 2 + 3 + 6 = 11.
    Left out: choosing on run 1 (static 1 3 6, ss 3 3.5 7: static thrice), run 0 of static shows 3 + 5 + 6 = 14;
    choosing on run 0 (static 3 5 6, ss 3 2.5 6: static, ss, static by the portfolio's order), run 1 shows
    1 + 3.5 + 6 = 10.5. Mean 12.25.
    """
    def runs(*lists):
        return [Run(k, {("L", step): Step(name, time_s) for step, (name, time_s) in enumerate(one)})
                for k, one in enumerate(lists)]

    def fixed(name, *lists):
        return Series(name, "fixed", name, runs=runs(*[[(name, time_s) for time_s in one] for one in lists]))

    auto = Series("auto", "selector", runs=runs([("static", 2.0), ("static", 4.5), ("ss", 6.2)],
                                                [("feedback", 2.01), ("ss", 3.0), ("ss", 6.2)],
                                                [("ss", 9.0), ("ss", 9.0), ("ss", 9.0)]))
    return AppData("app", "real", 2, [fixed("static", [3.0, 5.0, 6.0], [1.0, 3.0, 6.0]),
                                      fixed("ss", [3.0, 2.5, 6.0], [3.0, 3.5, 7.0]), auto])


def with_hash_seed(seed):
    return os.environ | {"PYTHONHASHSEED": str(seed)}


class Analysis(unittest.TestCase):
    def test_the_oracle_takes_the_least_median_of_each_step(self):
        found = oracle.oracle(by_hand())
        self.assertEqual([found.steps[("L", k)] for k in range(3)], [("static", 2.0), ("ss", 3.0), ("static", 6.0)])
        self.assertEqual(found.total_s, 11.0)

    def test_the_oracle_of_the_other_repetitions_has_no_luck(self):
        app = by_hand()
        found = oracle.oracle(app)
        # In repetition 1 static was best in every step: 3 + 5 + 6 in repetition 0. In repetition 0 they were equal in
        # two steps, ss was better in one: 1 + 3.5 + 6 step by step, but 13.5 if one technique has all steps.
        self.assertEqual((found.left_out, found.window), ({0: 14.0, 1: 10.5}, 1))
        self.assertEqual(found.over_left_out(app.find("auto")), (12.7 / 14 + 11.21 / 10.5) / 2)

    def test_where_single_steps_are_noise_the_oracle_of_the_others_chooses_for_many(self):
        def fixed(name, *lists):
            return Series(name, "fixed", name, runs=[Run(k, {("L", step): Step(name, time_s) for step, time_s in
                                                             enumerate(times)}) for k, times in enumerate(lists)])

        app = AppData("app", "real", 2, [fixed("static", [1.0, 3.0], [3.0, 1.0]), fixed("ss", [2.0, 2.1], [2.0, 2.1])])
        found = oracle.oracle(app)
        self.assertEqual((found.left_out, found.window), ({0: 4.0, 1: 4.0}, 4))
        self.assertEqual(found.total_s, 4.0)

    def test_one_repetition_has_no_left_out_estimate(self):
        app = by_hand()
        for one in app.series:
            del one.runs[1:]
        self.assertIsNone(oracle.oracle(app).left_out_s)

    def test_techniques_outside_the_portfolio_do_not_make_the_oracle(self):
        app = by_hand()
        app.series.append(Series("feedback", "fixed", "feedback", runs=[Run(0, {("L", 0): Step("feedback", 0.1)})]))
        self.assertEqual(oracle.oracle(app).total_s, 11.0)

    def test_but_they_make_the_one_over_all_that_ran(self):
        app = by_hand()
        self.assertIsNone(summary.summarise(app).own)
        self.assertNotIn("auto_vs_own_oracle", summary.result([summary.summarise(app)]))
        app.series.append(Series("feedback", "fixed", "feedback", runs=[Run(0, {("L", 0): Step("feedback", 0.1)})]))
        found = summary.summarise(app)
        self.assertAlmostEqual(found.own.total_s, 9.1)  # the first of the steps of 2, 3 and 6 s takes 0.1
        self.assertEqual(summary.result([found])["auto_vs_own_oracle"], {"app": round(12.7 / 9.1, 4)})
        self.assertIn("Oracle over all 3 fixed techniques that ran: 9.1000 s", "\n".join(summary.yardsticks(found)))

    def test_best_and_mean_of_the_fixed_are_of_the_oracles_and_say_so(self):
        app = by_hand()
        app.series.append(Series("feedback", "fixed", "feedback", runs=[Run(0, {("L", 0): Step("feedback", 0.1)})]))
        found = summary.summarise(app)
        text = "\n".join(summary.yardsticks(found))
        self.assertIn("best fixed of the Oracle's 2: static 12.0000 s", text)
        self.assertIn("mean of the Oracle's 2: 12.2500 s", text)
        self.assertEqual([(label, mean_s) for label, _, mean_s in figures.means(app)],
                         [("mean of the Oracle's", found.mean_fixed_s)])

    def test_the_summary_compares_the_median_run(self):
        found = summary.summarise(by_hand())
        row = dict(zip(summary.HEADERS, next(row for row in found.rows if row[0] == "auto")))
        total_s = 2.01 + 3.0 + 6.2  # the middle one of 12.7, 11.21 and 27 is 12.7
        self.assertLess(total_s, 12.7)
        self.assertAlmostEqual(row["total s"], 12.7)
        self.assertAlmostEqual(row["over oracle %"], 100 * (12.7 / 11 - 1))
        # Totals of fixed runs: static 14 and 10, ss 11.5 and 13.5; of two the mean, as in the Oracle's steps.
        self.assertEqual((found.best_fixed, found.best_fixed_s, found.mean_fixed_s), ("static", 12.0, 12.25))
        self.assertAlmostEqual(row["over best fixed %"], 100 * (12.7 / 12 - 1))

    def test_of_two_repetitions_no_fixed_technique_is_less_than_its_lower_bound(self):
        app = by_hand()
        for one in app.group("fixed"):
            self.assertGreaterEqual(one.total_s(), oracle.oracle(app).total_s)

    def test_one_step_is_not_several(self):
        text = "\n".join(summary.yardsticks(summary.summarise(by_hand())))
        self.assertIn("chosen on the other repetitions, for 1 step in a row: ", text)

    def test_figures_do_not_go_by_pythons_order_of_sets(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom gimbal_campaign.oracle import chosen_before\n"
                "from gimbal_campaign.measured import Step\n"
                "keys = [(loop, step) for loop in 'abcdefgh' for step in range(40)]\n"
                "times = {key: 10.0 ** (place % 13 - 6) / 3 for place, key in enumerate(keys)}\n"
                "print(repr(chosen_before({'ss': times}, {'ss': {key: Step('ss', one) for key, one in times.items()}}, 4)))")
        found = {subprocess.run([sys.executable, "-B", "-c", code, SOURCES], text=True, capture_output=True, check=True,
                                env=with_hash_seed(seed)).stdout for seed in range(6)}
        self.assertEqual(len(found), 1, found)

    def test_the_result_line_holds_the_ratio(self):
        self.assertEqual(summary.result([summary.summarise(by_hand())]),
                         {"auto_vs_oracle": {"app": round(12.7 / 11, 4)}, "auto_vs_oracle_virtual": {},
                          "auto_vs_left_out": {"app": 0.9874}})

    def test_similarity_counts_same_and_equally_good_choices(self):
        app = by_hand()
        found = oracle.oracle(app)
        # static, static, ss: the first is the Oracle's; static took 4 for 3, ss 6.5 for 6: neither is as good.
        self.assertEqual(similarity.compare(app.find("auto").runs[0].steps, found), (100 / 3, 100 / 3))
        # feedback was never fixed and took 2.01 for 2, within 1 %; ss is the Oracle's; then as above.
        same, as_good = similarity.compare(app.find("auto").runs[1].steps, found)
        self.assertAlmostEqual(same, 100 / 3)
        self.assertAlmostEqual(as_good, 200 / 3)

    def test_the_oracle_is_like_itself(self):
        found = oracle.oracle(by_hand())
        self.assertEqual(similarity.compare(found.steps, found), (100.0, 100.0))

    def test_gain_is_against_the_mean_of_the_fixed(self):
        rows = {row[1]: row for row in gain.gain(by_hand())}
        self.assertEqual(rows["random one of the Oracle's"][3:5], (12.25, 0.0))
        self.assertAlmostEqual(rows["auto"][4], 100 * (12.25 - 12.7) / 12.25)
        self.assertAlmostEqual(rows["auto"][5], 100 * (1 - 12.7 / 12))


class Commands(CampaignTest):
    ready = None  # the stored campaign: run once, copied for each test

    def setUp(self):
        super().setUp()
        self.write_spec(SPEC)
        if self.ready is None:
            done = self.campaign("run", "try.toml")
            self.assertEqual(done.returncode, 0, done.stderr)
            type(self).ready = (self.work / "try.sqlite").read_bytes()
        (self.work / "try.sqlite").write_bytes(self.ready)

    def test_a_stored_campaign_is_read_back_as_it_was(self):
        apps = measured.load(store.Store(self.work / "try.sqlite", must_exist=True))
        self.assertEqual([(app.name, app.kind, len(app.series)) for app in apps],
                         [("one", "real", CONFIGURATIONS), ("two", "virtual", CONFIGURATIONS)])
        found = oracle.oracle(apps[0])  # fac2 takes 1 ms in the first loop, static 1 ms in the second; six steps each
        self.assertAlmostEqual(found.total_s, 0.012)
        first = {step.technique for (loop, _), step in found.steps.items() if loop == "app.c:10 loop"}
        self.assertEqual(first, {"fac2"})

    def test_the_summary_ends_with_the_result(self):
        line = self.campaign("summary", "--result", "try.sqlite").stdout.splitlines()[-1]
        # auto takes each of the three techniques twice per loop: 2 (3 + 2 + 1 + 1 + 2 + 3) = 24 ms for 12.
        self.assertEqual(json.loads(line.removeprefix("RESULT ")),
                         {"auto_vs_oracle": {"one": 2.0}, "auto_vs_oracle_virtual": {"two": 2.0},
                          "auto_vs_left_out": {"one": 2.0}})

    def test_a_configuration_that_there_is_not_is_refused(self):
        done = self.campaign("summary", "--result", "--configuration", "aut0", "try.sqlite")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("error")), (2, "", 1), done.stderr)
        self.assertIn('there is no configuration "aut0"', done.stderr)
        self.assertIn(" fac2", done.stderr)

    def test_every_analysis_speaks_json_and_text(self):
        for name in ("oracle", "summary", "similarity", "overhead", "gain"):
            self.assertTrue(json.loads(self.campaign(name, "--json", "try.sqlite").stdout), name)
            self.assertIn("one", self.campaign(name, "try.sqlite").stdout, name)

    def test_a_file_that_is_not_there_or_another_is_one_message(self):
        self.assertIn("no such file", self.campaign("summary", "none.sqlite").stderr)
        (self.work / "other.sqlite").write_text("text")
        done = self.campaign("summary", "other.sqlite")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_a_damaged_file_is_one_error(self):
        for change, words in (("UPDATE steps SET loop_time_s = 0", "the loop times add up to 0"),
                              ("DELETE FROM steps", "the loop times add up to nothing"),
                              ("UPDATE steps SET loop_time_s = 'x'", "is 'x'"),
                              ("UPDATE runs SET wall_s = 'x'", "is 'x'")):
            (self.work / "try.sqlite").write_bytes(self.ready)
            with contextlib.closing(sqlite3.connect(self.work / "try.sqlite")) as connection, connection:
                connection.execute(change)
            for name in ("oracle", "summary", "overhead"):
                done = self.campaign(name, "try.sqlite")
                self.assertEqual((done.returncode, done.stderr.count("error")), (2, 1), (change, name, done.stderr))
                self.assertIn(words, done.stderr)

    def test_replay_follows_the_recorded_choices(self):
        done = self.campaign("replay", "--times", 2, "--json", "--configuration", "fac2", "try.sqlite")
        rows = json.loads(done.stdout)
        self.assertEqual([(row["application"], row["same %"], row["sd s"]) for row in rows],
                         [("one", 100.0, 0.0), ("two", 100.0, 0.0)])

    def test_the_oracle_can_be_replayed_beside_another(self):
        done = self.campaign("replay", "--times", 2, "--json", "--configuration", "oracle", "--beside", "auto",
                             "try.sqlite")
        self.assertEqual(done.returncode, 0, done.stderr)
        # The stand-in knows no GIMBAL_REPLAY and chooses blindly: 24 ms, as auto does, where the Oracle takes 12.
        for row in json.loads(done.stdout):
            self.assertEqual(row["configuration"], "oracle")
            self.assertAlmostEqual(row["recorded s"], 0.012)
            self.assertAlmostEqual(row["mean s"], 0.024)
            self.assertLess(row["same %"], 50)
            self.assertEqual(row["auto over replay %"], 0)
        self.assertIn("oracle", self.campaign("replay", "--configuration", "orakle", "try.sqlite").stderr)
        self.assertIn("--configuration oracle",
                      self.campaign("replay", "--beside", "oracle", "try.sqlite").stderr)


class WithModules(ToolTest):
    """What needs Debian's modules, through the tool itself, which looks for a Python that has them."""

    PROBE = "import pandas, scipy.stats, statsmodels.api, matplotlib"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "share" / "gimbal").mkdir(parents=True)
        (cls.folder / "share" / "gimbal" / "campaign").symlink_to(SOURCES)

    def need_modules(self):
        for python in ("python3", "/usr/bin/python3"):
            if shutil.which(python) and subprocess.run([python, "-c", self.PROBE], capture_output=True).returncode == 0:
                return python
        self.skipTest("no Python with pandas, scipy, statsmodels and matplotlib")

    def write_store(self, little=7):
        """RL configurations whose totals are known: 100 + 10 * reward + a little by agent and policy."""
        text = SPEC.replace('["softmax"]', '["softmax", "explore-first", "epsilon-greedy"]')
        wanted = spec.parse(text.replace("repetitions = 2", "repetitions = 1"))
        file = store.Store(self.work / "try.sqlite")
        file.begin(wanted, {"processor": "a & b"})
        values = {}
        for number, cell in enumerate(design.cells(wanted)):
            time_s = 100.0 + number % little + (10.0 if cell.configuration.reward == "cov" else 0.0)
            outcome = store.Outcome("ok", 0, 200.0, "2026-01-01T00:00:00+00:00", 1, "x", "")
            outcome.steps = [("L<1>", 0, 2, 10, cell.configuration.technique or "ss", "", 0, time_s, *[None] * 9)]
            file.add([cell], [outcome])
            if cell.configuration.group == "rl" and cell.application.name == "one":
                values.setdefault(cell.configuration.reward, []).append(time_s)
        file.close()
        return values

    def test_anova_is_what_scipy_says(self):
        python = self.need_modules()
        values = self.write_store()
        done = self.gimbal("campaign", "anova", "--json", "try.sqlite", timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        row = next(row for row in found["anova"] if (row["application"], row["factor"]) == ("one [s]", "reward"))
        code = ("import json, sys, scipy.stats as s; a, b = json.load(sys.stdin); f = s.f_oneway(a, b);"
                "t = s.tukey_hsd(a, b); print(json.dumps([f.statistic, f.pvalue, t.pvalue[0][1]]))")
        said = subprocess.run([python, "-c", code], input=json.dumps(list(values.values())), text=True,
                              capture_output=True, check=True).stdout
        statistic, probability, tukey = json.loads(said)
        self.assertAlmostEqual(row["F"], statistic, places=6)
        self.assertAlmostEqual(row["p"], probability, places=9)
        pair = next(row for row in found["tukey"] if (row["application"], row["factor"]) == ("one [s]", "reward"))
        self.assertAlmostEqual(pair["p"], tukey, places=3)
        self.assertEqual(pair["differ"], "yes")

    def test_without_variance_there_is_no_f(self):
        self.need_modules()
        self.write_store(little=1)
        done = self.gimbal("campaign", "anova", "try.sqlite", timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("one [s], reward: the variance within the levels is zero, so there is no F", done.stdout)
        self.assertNotIn("one [s], agent: the variance", done.stdout)

    def test_the_report_holds_everything_itself(self):
        self.need_modules()
        self.write_store()
        done = self.gimbal("campaign", "report", "--html", "try.sqlite", timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.work / "try.html").read_text()
        for reference in re.findall(r'(?:src|href|url|action)\s*=?\s*[("\']*([^"\'>)\s]+)', text):
            self.assertTrue(reference.startswith(("data:image/png;base64,", "#")), reference[:60])
        self.assertNotRegex(text, r"https?:|<script|<link|@import")
        self.assertGreater(text.count("data:image/png"), 6)
        (self.work / "notes").write_text("precious")
        done = self.gimbal("campaign", "report", "--html", "--output", "notes", "try.sqlite", timeout=600)
        self.assertEqual((done.returncode, (self.work / "notes").read_text()), (2, "precious"))
        for part in ("Tukey", "Conditions", "Percent over the Oracle", "q-softmax-cov", "a &amp; b"):
            self.assertIn(part, text)

    def test_without_the_modules_the_message_names_the_packages(self):
        self.write_store()
        bare = self.script(f'exec "{sys.executable}" -S -I "$@"\n', "python")
        if subprocess.run([bare, "-c", "import pandas"], capture_output=True).returncode == 0:
            self.skipTest("this Python has pandas even without its site folder")
        done = self.gimbal("campaign", "anova", "try.sqlite", env={"GIMBAL_PYTHON": str(bare)})
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for package in ("pandas", "scipy", "statsmodels", "matplotlib"):
            self.assertIn("python3-" + package, done.stderr)
        done = self.gimbal("campaign", "summary", "try.sqlite", env={"GIMBAL_PYTHON": str(bare)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_python_that_is_none_is_refused_by_name(self):
        done = self.gimbal("campaign", "--help", env={"GIMBAL_PYTHON": "/bin/false"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("GIMBAL_PYTHON", done.stderr)

if __name__ == "__main__":
    unittest.main()
