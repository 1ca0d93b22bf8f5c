# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal simulate`: applications in virtual time."""
import csv
import json
import os
import pathlib
import re
import tempfile
import unittest

from support import ToolTest

SMALL = ("simulate", "--app", "flip", "--workers", "4", "--iterations", "2000", "--steps", "20")


class Simulate(ToolTest):
    def test_help_has_examples_and_all_applications(self):
        text = self.gimbal("simulate", "--help").stdout
        for word in ("Example", "pisolver", "mandelbrot", "evrard", "bump"):
            self.assertIn(word, text)

    def test_the_same_seed_gives_the_same_run(self):
        words = (*SMALL, "--schedule", "af", "--noise", "0.05", "--json")
        first = self.gimbal(*words).stdout
        self.assertEqual(first, self.gimbal(*words).stdout)
        other = self.gimbal(*words, "--seed", "2").stdout
        self.assertNotEqual(json.loads(first)["total_s"], json.loads(other)["total_s"])

    def test_json_says_what_ran_and_how_long(self):
        result = json.loads(self.gimbal(*SMALL, "--schedule", "gss", "--steps-json").stdout)
        loop = result["loops"][0]
        self.assertEqual((result["workers"], result["iterations"], result["schedule"]), (4, 2000, "gss"))
        self.assertEqual(loop["choices"], {"gss": 20})
        self.assertEqual(len(loop["steps"]), 20)
        self.assertAlmostEqual(sum(loop["steps"]), loop["total_s"])
        self.assertGreaterEqual(loop["total_s"], loop["ideal_s"])

    def test_one_is_singular_and_what_is_far_over_ideal_is_so_many_times_it(self):
        words = ("simulate", "--app", "flip", "--workers", "1024", "--iterations", "1", "--steps", "1")
        text = self.gimbal(*words, "--schedule", "static-steal").stdout
        self.assertIn("flip: 1 step of 1 iteration on 1024 workers, ", text)
        self.assertRegex(text, r"\nloop .* \d+ times ")

    def test_record_has_a_row_for_every_step(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "steps.csv")
            self.assertEqual(self.gimbal(*SMALL, "--select", "sarsa", "--record", path).returncode, 0)
            with open(path, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in rows], list(range(20)))
        self.assertEqual({row["iterations"] for row in rows}, {"2000"})
        self.assertTrue(all(row["technique"] and row["action"] for row in rows))

    def test_a_record_replaces_nothing_but_a_record(self):
        words = ("simulate", "--app", "uniform", "--workers", "2", "--steps", "3", "--iterations", "100", "--record")
        (self.work / "notes").write_text("precious")
        done = self.gimbal(*words, "notes")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('--record: "notes" is there already and is not a file of steps', done.stderr)
        self.assertEqual((self.work / "notes").read_text(), "precious")
        self.assertEqual([self.gimbal(*words, "r.csv").returncode for _ in range(2)], [0, 0])

    def test_a_misspelt_option_is_named_with_the_nearest_and_the_commands_own_help(self):
        said = self.gimbal("simulate", "--app", "flip", "--schedul", "fac2").stderr
        for part in ('--schedul: there is no such option. Did you mean "--schedule"?', "see: gimbal simulate --help"):
            self.assertIn(part, said)
        self.assertIn("--schedule: unknown technique", self.gimbal(*SMALL, "--schedule", "fac22").stderr)

    def test_ranks_of_threads_run_a_fixed_pair_or_learn_one(self):
        loop = ("simulate", "--app", "triangular", "--ranks", "4", "--workers", "4", "--iterations", "2000", "--json")
        words = (*loop, "--steps", "40")
        fixed = json.loads(self.gimbal(*words, "--rank-schedule", "fac2", "--schedule", "gss").stdout)
        self.assertEqual((fixed["ranks"], fixed["threads"], fixed["best_pair"]), (4, 4, "fac2 / gss"))
        self.assertEqual(fixed["learners"]["coordinated"]["last"], "fac2 / gss")
        learnt = json.loads(self.gimbal(*words, "--learner", "all", "--step-noise", "0.02", "--runs", "2").stdout)
        self.assertEqual(set(learnt["learners"]), {"joint", "independent", "alternate", "levels", "coordinated"})
        self.assertTrue(all(len(one["over_best"]) == 2 for one in learnt["learners"].values()))
        over = {name: one["over_best"] for name, one in learnt["learners"].items()}
        self.assertLess(max(over["coordinated"]), min(over["joint"]))
        # All explore alike for the first 256 steps.
        agents = [json.loads(self.gimbal(*loop, "--steps", "600", "--learner", "levels",
                                         env={"GIMBAL_RL_AGENT": agent}).stdout) for agent in ("q", "dqn", "q")]
        self.assertEqual(agents[0], agents[2], "the same seed, the same choices")
        self.assertNotEqual(agents[0], agents[1])
        self.assertIn("best fixed pair", self.gimbal(*loop[:-1], "--steps", "40", "--learner", "joint").stdout)
        self.assertIn("--ranks", self.gimbal("simulate", "--app", "flip", "--learner", "joint").stderr)

    def test_of_several_runs_means_are_printed_and_it_is_said(self):
        words = ("simulate", "--app", "power", "--ranks", "4", "--workers", "4", "--iterations", "2000", "--steps",
                 "40", "--learner", "independent", "--select", "random")
        each = [json.loads(self.gimbal(*words, "--json", "--seed", seed).stdout) for seed in (1, 2, 3)]
        three = json.loads(self.gimbal(*words, "--json", "--runs", 3).stdout)
        self.assertEqual(len({one["best_total_s"] for one in each}), 3, "costs are drawn anew")
        self.assertAlmostEqual(three["best_total_s"], sum(one["best_total_s"] for one in each) / 3)
        learners = [one["learners"]["independent"] for one in each]
        for key in ("total_s", "trials", "stopped", "moves"):
            self.assertAlmostEqual(three["learners"]["independent"][key], sum(one[key] for one in learners) / 3,
                                   msg=key)
        self.assertEqual(three["learners"]["independent"]["over_best"], [one["over_best"][0] for one in learners])
        self.assertEqual((three["best_pair"], three["learners"]["independent"]["last"]),
                         (each[2]["best_pair"], learners[2]["last"]))
        self.assertIn("; means over 3 runs, pairs of the last\n", self.gimbal(*words, "--runs", 3).stdout)
        self.assertNotIn("means", self.gimbal(*words).stdout)

    def test_a_chunk_of_ranks_has_four_iterations_for_each_thread(self):
        """As on real ranks: `ss` alone drew single iterations for teams."""
        words = ("simulate", "--app", "triangular", "--ranks", "4", "--workers", "4", "--iterations", "3200", "--steps",
                 "3", "--schedule", "ss", "--json", "--rank-schedule")
        alone, named, single = (json.loads(self.gimbal(*words, ranks).stdout)["best_total_s"]
                                for ranks in ("ss", "ss,16", "ss,1"))
        self.assertEqual(alone, named)
        self.assertLess(alone, 0.5 * single)

    def test_workers_of_ranks_are_threads_of_no_teams(self):
        words = ("simulate", "--app", "evrard", "--iterations", "20000", "--steps", "10", "--json")
        pair = (*words, "--ranks", "4", "--workers", "10")
        one = json.loads(self.gimbal(*words, "--workers", "40", "--schedule", "static").stdout)
        two = json.loads(self.gimbal(*pair, "--rank-schedule", "static", "--schedule", "static").stdout)
        self.assertGreater(two["best_total_s"], one["ideal_s"], "40 cores, not 160")
        slack = json.loads(self.gimbal(*pair, "--slack").stdout)
        self.assertGreater(slack["techniques"]["static"]["total_s"], 4 * one["ideal_s"], "10 cores a rank")
        self.assertEqual(slack, json.loads(self.gimbal(*pair, "--slack", "--level", "threads").stdout))

    def test_seeds_of_all_runs_are_checked_before_the_first(self):
        words = ("simulate", "--app", "uniform", "--ranks", "2", "--workers", "2", "--iterations", "40", "--steps", "3")
        self.assertEqual(self.gimbal(*words, "--seed", 2**53 - 1, "--runs", 2).returncode, 0)
        refused = self.gimbal(*words, "--seed", 2**53 - 1, "--runs", 3)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        for part in ("gimbal: error: --seed", "--runs", f"0 to {2**53 - 2}"):
            self.assertIn(part, refused.stderr)

    def test_wrong_techniques_of_pairs_are_named_with_their_option(self):
        for option in ("--portfolio", "--rank-schedule", "--schedule"):
            refused = self.gimbal("simulate", "--app", "power", "--ranks", "4", option, "fac22")
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), option)
            self.assertIn(f"gimbal: error: {option}: ", refused.stderr)

    def test_ranks_refuse_what_pairs_do_not_go_by(self):
        ranks = ("simulate", "--app", "uniform", "--ranks", "4", "--workers", "4", "--iterations", "400", "--steps",
                 "3", "--rank-schedule", "fac2", "--schedule", "ss")
        for words in (("--noise", "0.5"), ("--chunk-noise", "0.5"), ("--interruptions", "9"), ("--spread", "0.5"),
                      ("--drift", "0.5"), ("--slow-worker", "1"), ("--level", "ranks"), ("--events", "9"),
                      ("--free-learning",), ("--record", "x.csv"), ("--steps-json",)):
            refused = self.gimbal(*ranks, *words)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), words)
            self.assertIn(f"{words[0]} has no effect on the pairs of --ranks", refused.stderr)
        refused = self.gimbal(*ranks[:-2], "--select", "q")
        self.assertIn("--select has no effect on the learner coordinated", refused.stderr)
        self.assertEqual(self.gimbal(*ranks[:-2], "--select", "q", "--learner", "independent").returncode, 0)
        plain, dear = (json.loads(self.gimbal(*ranks, "--json", *words).stdout)["best_total_s"]
                       for words in ((), ("--dispatch-ns", "100000", "--serial-ns", "50000")))
        self.assertGreater(dear, 2 * plain)

    def test_interruptions_last_a_while_by_themselves(self):
        plain, disturbed = (json.loads(self.gimbal(*SMALL, "--schedule", "static", "--json", *words).stdout)["total_s"]
                            for words in ((), ("--interruptions", "10000")))
        self.assertGreater(disturbed, 1.2 * plain)
        self.assertIn("--interruption-us FLOAT in [0 - 1e+12]=100", self.gimbal("simulate", "--help").stdout)

    def test_ranks_that_wait_for_each_other_use_the_slack_that_they_expect(self):
        words = ("simulate", "--app", "uniform:cost_us=10", "--ranks", "8", "--workers", "4", "--iterations", "400",
                 "--steps", "400", "--slack", "--rank-spread", "0.2", "--dispatch-ns", "1000", "--chunk", "1")
        result = json.loads(self.gimbal(*words, "--json").stdout)
        self.assertEqual((result["ranks"], result["threads"], result["iterations"]), (8, 4, 400))
        techniques = result["techniques"]
        self.assertEqual(set(techniques), {"static", "dynamic", "usched", "callpath-fd", "vsched", "full"})
        for name, base in (("callpath-fd", "usched"), ("full", "vsched")):
            one = techniques[name]
            self.assertEqual((one["base"], one["executions"], one["predicted_and_last"]), (base, 8 * 200, 0))
            self.assertAlmostEqual(one["over_base"], one["tail_s"] / techniques[base]["tail_s"])
            self.assertGreaterEqual(one["static_fraction"], one["base_fraction"])
        self.assertNotIn("base", techniques["usched"])
        self.assertGreater(techniques["callpath-fd"]["predicted"], 0)
        self.assertLess(techniques["static"]["tail_s"], techniques["dynamic"]["tail_s"])
        table = self.gimbal(*words).stdout
        for part in ("8 ranks x 4 threads", "callpath-fd", "at most saved"):
            self.assertIn(part, table)
        titles = re.split(r"  +", table.splitlines()[2])
        guide = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "user-guide.md").read_text(encoding="utf-8")
        explained = [word for row in re.findall(r"^\| ([^|]+) \|", guide, re.MULTILINE) for word in row.split(", ")]
        self.assertEqual([title for title in titles[1:] if title not in explained], [])
        for wrong in (("--slack",), ("--ranks", "8", "--slack", "--schedule", "gss"), ("--ranks", "8", "--chunk", "2")):
            refused = self.gimbal("simulate", "--app", "uniform", *wrong)
            self.assertEqual(refused.returncode, 2, wrong)
            self.assertIn(wrong[-2] if wrong[-1] in ("gss", "2") else "--ranks", refused.stderr)

    def test_selfish_says_which_options_are_integers(self):
        text = self.gimbal("simulate", "selfish", "--help").stdout
        for option, least, most in (("--processors", 1, 64), ("--steps", 1, 1000), ("--delay", 0, 100),
                                    ("--most-quanta", 1, 1000000)):
            self.assertIn(f"{option} INT in [{least} - {most}]", text)
            for value in (least - 1, most + 1, "1.5"):
                refused = self.gimbal("simulate", "selfish", option, value)
                self.assertEqual((refused.returncode, refused.stderr.count("gimbal: error:")), (2, 1), (option, value))
                self.assertIn(option, refused.stderr)
        self.assertIn("--beta FLOAT in [0 - 100]", text)

    def test_selfish_policies_are_stuck_where_queues_grow_without_end(self):
        words = ("simulate", "selfish", "--learner", "rules", "--seeds", 1, "--json")
        for more in (("--arrivals", 10), ("--arrivals", 3), ("--arrivals", 1, "--most-quanta", 2000)):
            found = json.loads(self.gimbal(*words, *more).stdout)
            self.assertEqual({row["median"] for row in found["rows"]}, {found["most_quanta"]}, more)

    def test_rewards_that_cannot_tell_techniques_apart_are_warned_of(self):
        for reward, workers, says in (("skewness", 2, "skewness is the same for every technique with 2 workers"),
                                      ("kurtosis", 16, "kurtosis measures the shape of the workers' times"),
                                      ("looptime", 16, "")):
            result = self.gimbal("simulate", "--app", "triangular", "--select", "sarsa", "--workers", workers,
                                 "--steps", 20, "--iterations", 1000, env={"GIMBAL_RL_REWARD": reward})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(says, result.stderr)
            self.assertEqual(result.stderr.count("warning"), 1 if says else 0)

    def test_so_they_are_on_ranks_of_threads(self):
        words = ("simulate", "--app", "power", "--ranks", 2, "--workers", 2, "--iterations", 400, "--steps", 20,
                 "--learner", "independent", "--select", "sarsa")
        for more in ((), ("--json",)):
            result = self.gimbal(*words, *more, env={"GIMBAL_RL_REWARD": "skewness"})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count("warning: the reward skewness is the same"), 1, result.stderr)

    def test_a_record_that_is_followed_is_named_and_one_that_cannot_be_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "steps.csv")
            learnt = json.loads(self.gimbal(*SMALL, "--select", "sarsa", "--record", path, "--json").stdout)
            env = {"GIMBAL_REPLAY": path}
            for words in ((), ("--schedule", "ss"), ("--select", "q")):
                replayed = json.loads(self.gimbal(*SMALL, *words, "--json", env=env).stdout)
                self.assertEqual((replayed["replay"], replayed["loops"][0]["choices"]),
                                 (path, learnt["loops"][0]["choices"]))
                self.assertEqual({"schedule", "selector"} & set(replayed), set())
            self.assertIn(f" workers, replay of {path}, in virtual", self.gimbal(*SMALL, env=env).stdout)
            for more in ((), ("--slack",), ("--learner", "independent", "--select", "sarsa")):
                refused = self.gimbal(*SMALL, "--ranks", 2, *more, env=env)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertIn("GIMBAL_REPLAY has no effect with --ranks", refused.stderr)
            with open(path, "w", encoding="utf-8") as file:
                file.write("no record\n")
            for name, ranks in ((path, ()), (path, ("--ranks", 2)), (os.path.join(folder, "none.csv"), ())):
                env = {"GIMBAL_REPLAY": name}
                refused = self.gimbal(*SMALL, *ranks, env=env)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""), name)
                self.assertIn(f'gimbal: error: GIMBAL_REPLAY: "{name}" cannot be replayed', refused.stderr)
                plain = self.gimbal(*SMALL, *ranks, env=env | {"GIMBAL_STRICT": "0"})
                self.assertEqual(plain.returncode, 0, plain.stderr)
                self.assertIn("gimbal: warning: GIMBAL_REPLAY: ", plain.stderr)

    def test_settings_of_programs_that_have_no_effect_here_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.csv")
            for name, value in (("GIMBAL_RECORD", path), ("GIMBAL_RL_AGENT_STATS", path), ("GIMBAL_RL_DEBUG", "2"),
                                ("GIMBAL_LOOPS", "*=ss")):
                result = self.gimbal(*SMALL, "--select", "sarsa", env={name: value})
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"gimbal: warning: {name} has no effect on gimbal simulate; ", result.stderr)
                self.assertEqual(result.stderr.count("warning"), 1, name)
                self.assertIn(name, self.gimbal("simulate", "--help").stdout)
            self.assertEqual(os.listdir(folder), [])

    def test_learning_takes_time_unless_it_is_said_to_be_free(self):
        def record(*words):
            return json.loads(self.gimbal(*SMALL, "--schedule", "static", "--json", *words).stdout)

        charged, free = record(), record("--free-learning")
        self.assertGreater(charged["loops"][0]["learning_s"], 0)
        self.assertEqual(free["loops"][0]["learning_s"], 0)
        self.assertAlmostEqual(charged["total_s"] - free["total_s"], charged["loops"][0]["learning_s"], places=12)

    def test_wrong_input_is_one_error_and_status_2(self):
        for words in ((), ("--app", "piesolver"), ("--app", "flip:x=1"), ("--app", "flip", "--schedule", "fac22"),
                      ("--app", "flip", "--select", "nobody"), ("--app", "flip", "--workers", "0"),
                      ("--app", "flip", "--select", "q", "--schedule", "ss"), ("--app", "flip", "--level", "sea"),
                      (*SMALL[1:], "--slow-worker", "4"), ("--app", "flip", "--seed", "-1")):
            result = self.gimbal("simulate", *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertEqual(result.stderr.count("gimbal: error:"), 1, words)
            self.assertEqual(result.stdout, "", words)


if __name__ == "__main__":
    unittest.main()
