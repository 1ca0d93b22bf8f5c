# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal tune`: the search over programs that crash, hang or say nothing, and going on after an interruption."""
import contextlib
import io
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from support import ToolTest, with_signals
from tune_support import PROGRAM, PYTHON, SOURCES, TuneTest

from gimbal_tune import run as run_module


class Searching(TuneTest):
    def test_the_best_is_found_reported_and_compared(self):
        done = self.tune("--runs", 9, "--constraint", "x * y <= 24", "--html", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.starts()[0], "1 1 good", "today's configuration runs first")
        self.assertIn("best: x=4 y=1", done.stdout)
        self.assertIn("12 -> 3 value: 0.250 of today's (0.250 to 0.250 in 4 x 4 runs)", done.stdout)
        self.assertIn("%IncMSE", done.stdout)
        self.assertEqual([row[0] for row in self.rows()], ["search"] * 9 + ["compare"] * 8)
        self.assertEqual(len({row[1] for row in self.rows() if row[0] == "search"}), 9, "none twice")
        self.assertTrue(all(one["x"] * one["y"] <= 24 for one in (json.loads(row[1]) for row in self.rows())))
        page = (self.work / "page.html").read_text()
        self.assertEqual(page.count("<img"), 2)
        self.assertNotIn("http", page.replace("http-equiv", ""))
        self.assert_nothing_left()

    def test_every_model_proposes_each_configuration_once(self):
        for model in ("forest", "svm", "gp", "nn", "random"):
            done = self.tune("--runs", 8, "--model", model, "--new", "--compare", 0)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len({row[1] for row in self.rows()}), 8, model)

    def test_large_numbers_can_be_wanted(self):
        done = self.tune("--runs", 15, "--maximize", "--compare", 0)
        self.assertIn("best: x=16 y=3", done.stdout, done.stderr)

    def test_crashes_hangs_and_silence_are_recorded_avoided_and_reported(self):
        done = self.tune("--runs", 16, "--parameter", "kind: good hang crash mute", "--timeout", 5, "--abort", 0,
                         program=("{x}", "{y}", "{kind}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("the program cannot go on", done.stderr)
        self.assertIn("kind=good", done.stdout.split("best: ")[1].splitlines()[0])
        searched = [row for row in self.rows() if row[0] == "search"]
        bad = [row for row in searched if row[2] != "ok"]
        self.assertTrue(all(row[3] is None for row in bad))
        self.assertLess(len(bad), 12, "a quarter of the space is good; blind choice would have 12 of 16")

    def test_nothing_but_failures_ends_it_with_what_the_program_said(self):
        done = self.tune(program=("{x}", "{y}", "crash"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the program cannot go on", done.stderr)
        self.assertLess(len(self.starts()), 9)

    def test_an_interrupt_ends_the_program_too_and_the_same_command_goes_on_as_if_nothing_had_happened(self):
        hang = self.work / "hang"
        self.script(PROGRAM.replace("esac\n", "esac\n[ -e hang ] && [ $(wc -l < starts) -ge 5 ] && sleep 600\n"))
        whole = self.tune("--runs", 8, "--compare", 1)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        expected = self.rows("SELECT kind, configuration, reason, predicted, value FROM tune_runs ORDER BY id")
        (self.work / "program.sh.tune.sqlite").unlink()
        (self.work / "starts").unlink()
        hang.touch()
        running = subprocess.Popen(self.command("--runs", 8, "--compare", 1, "--abort", 0), cwd=self.work,
                                   env=self.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not ((self.work / "starts").exists() and len(self.starts()) >= 5):
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)  # SIGINT is ignored by what runs in a shell's background
        said = running.communicate(timeout=600)[1]
        self.assertEqual(running.returncode, 143, said)
        self.assertIn("the same command goes on", said)
        self.assertEqual(len(self.rows()), 4)
        self.assert_nothing_left()
        hang.unlink()
        again = self.tune("--runs", 8, "--compare", 1, "--abort", 0)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.rows("SELECT kind, configuration, reason, predicted, value FROM tune_runs ORDER BY id"),
                         expected)
        self.assertEqual(again.stdout, whole.stdout)

    def test_a_search_goes_on_where_its_parameters_stand_in_another_order(self):
        """x=1 y=2 is no run of x=2 y=1."""
        program = self.script('echo "metric $(( 20 + ($1 - 2) * ($1 - 2) + $2 ))"\n')
        words = ("--parameter", "x: 1 2 4"), ("--parameter", "y: 1 2 4")
        outputs = []
        for runs, order in ((5, words), (9, words[::-1])):
            command = [PYTHON, "-B", SOURCES, "--gimbal", self.tool, *order[0], *order[1], "--runs", str(runs),
                       "--compare", "0", "--metric-regex", "metric ([0-9]+)", "--", program, "{x}", "{y}"]
            done = subprocess.run(command, cwd=self.work, env=self.environment(), text=True, capture_output=True,
                                  timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            outputs.append(done.stdout)
        configurations = [json.loads(row[1]) for row in self.rows()]
        self.assertEqual(len({(one["x"], one["y"]) for one in configurations}), 9)
        self.assertEqual(len(configurations), 9, "none twice")
        self.assertRegex(outputs[1], "best: (x=2 y=1|y=1 x=2)\n")

    def test_a_search_is_alone_and_a_hangup_ends_its_program_unless_it_is_ignored(self):
        program = self.script("echo $$ > pid\nexec sleep 600\n")
        for handler in (signal.SIG_DFL, signal.SIG_IGN):
            with contextlib.suppress(FileNotFoundError):
                (self.work / "pid").unlink()
            running = subprocess.Popen(self.command("--new"), cwd=self.work, env=self.environment(), text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       **with_signals(handler, signal.SIGHUP))
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and not ((self.work / "pid").exists()
                                                       and (self.work / "pid").read_text().strip()):
                time.sleep(0.02)
            second = self.tune()
            self.assertEqual((second.returncode, second.stderr.count("\n")), (2, 1), second.stderr)
            self.assertIn("program.sh.tune.sqlite: another gimbal tune", second.stderr)
            running.send_signal(signal.SIGHUP)
            if handler == signal.SIG_IGN:
                with self.assertRaises(subprocess.TimeoutExpired):
                    running.wait(0.5)
                running.send_signal(signal.SIGTERM)
            said = running.communicate(timeout=600)[1]
            self.assertEqual(running.returncode, 143 if handler == signal.SIG_IGN else 129, said)
            self.assertFalse(pathlib.Path("/proc", (self.work / "pid").read_text().strip()).exists(), program)
            self.assert_nothing_left()

    def test_a_space_that_is_nested_too_deeply_is_one_error(self):
        (self.work / "deep.toml").write_text("x = " + "[" * 100000)
        done = self.tune("--space", "deep.toml")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("deep.toml: it is nested too deeply", done.stderr)

    def test_an_interrupt_before_the_first_run_is_quiet(self):
        modules = self.work / "modules"
        modules.mkdir()
        (modules / "numpy.py").write_text("raise KeyboardInterrupt\n")  # Ctrl-C while modules are loaded
        done = self.tune(env={"PYTHONPATH": str(modules)})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (130, "", ""))
        (modules / "sqlite3.py").write_text("raise KeyboardInterrupt\n")
        done = self.tune(env={"PYTHONPATH": str(modules)})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (130, "", ""))

    def test_where_the_comparison_finds_no_gain_todays_way_stays(self):
        self.script("""
echo "$*" >> starts
if [ $1 = 4 ] && [ $(grep -c "^4 1" starts) -gt 1 ]; then echo "metric 13"; exit; fi
echo "metric $(( 2 + ($1 - 4) * ($1 - 4) + $2 ))"
""")
        done = self.tune("--runs", 15, "--parameter", "schedule: static ss", "--constraint", "y == 1 and schedule == 'static'",
                         "--html", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("best: x=1 y=1", done.stdout)
        self.assertIn("today's configuration is as good as the best of the search, x=4 y=1 schedule=static: 12 -> 13 value: "
                      "1.083 of today's", done.stdout)
        self.assertIn("program.sh 1 1 good", done.stdout.split("run it so: ")[1])
        self.assertIn("x=1", (self.work / "program.sh.tune.toml").read_text().splitlines()[0])
        self.assertIn("<p>Best: x=1 y=1", (self.work / "page.html").read_text().replace(' class="note"', ""))

    def test_a_gain_within_the_noise_is_none(self):
        self.script("""
echo "$*" >> starts
today=$(grep -c "^1 1" starts)
[ $1 = 1 ] && [ $today -gt 1 ] && echo "metric $((9 + today % 2 * 4))" && exit
[ $1 = 4 ] && [ $(grep -c "^4 1" starts) -gt 1 ] && echo "metric 10" && exit
echo "metric $(( 2 + ($1 - 4) * ($1 - 4) + $2 ))"
""")
        done = self.tune("--runs", 15, "--compare", 2, "--parameter", "schedule: static ss", "--constraint",
                         "y == 1 and schedule == 'static'")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no difference was measured to the best of the search, x=4 y=1 schedule=static: 11 -> 10 value: "
                      "0.909 of today's (0.769 to 1.111 in 2 x 2 runs)", done.stdout)
        self.assertIn("best: x=1 y=1", done.stdout)
        self.assertIn("x=1", (self.work / "program.sh.tune.toml").read_text().splitlines()[0])

    def test_an_interrupt_while_a_run_is_noted_counts_it(self):
        store = mock.Mock(path="x.sqlite", runs=lambda: [None])
        session = mock.Mock(store=store, runs=[])
        session.everything.side_effect = KeyboardInterrupt
        said = io.StringIO()
        with mock.patch.object(run_module, "need"), contextlib.redirect_stderr(said):
            self.assertEqual(run_module.run(session), 130)
        self.assertIn("; x.sqlite has 1 run; the same command goes on", said.getvalue())

    def test_a_run_that_takes_three_times_the_quickest_is_ended(self):
        self.script("if [ $1 = slow ]; then sleep 600; fi\nsleep 1\n")
        done = subprocess.run([PYTHON, "-B", SOURCES, "--gimbal", self.tool, "--parameter", "kind: quick slow", "--runs", "2",
                               "--compare", "0", "--", self.program, "{kind}"], cwd=self.work, env=self.environment(),
                              text=True, capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row[2] for row in self.rows()], ["ok", "slow"])
        self.assertIn("2 runs of 2 configurations; 1 ended as too slow", done.stdout)
        self.assertLess(self.rows("SELECT max(wall_s) FROM tune_runs")[0][0], 600)

    def test_what_would_decide_in_place_of_what_is_tuned_is_left_out_and_nothing_else(self):
        """Inherited, it made every run the same one, and the best a matter of luck."""
        deciding = ("OMP_SCHEDULE", "GIMBAL_SELECT", "GIMBAL_LOOPS", "GIMBAL_REPLAY", "GIMBAL_CONFIG")
        shown = " ".join(f'"${{{name}-none}}"' for name in (*deciding, "GIMBAL_SCHEDULE", "GIMBAL_SEED"))
        self.script(f"echo {shown} >> seen\n")
        (self.work / "p.csv").write_text("loop,workers,step,iterations,technique\nf,2,0,10,gss\n")
        own = self.work / "own.toml"
        own.write_text('select = "sarsa"\n')
        env = {"GIMBAL_LOOPS": "a.c=ss", "GIMBAL_SEED": "7"}
        for more, parameter, seen in (
                ({"OMP_SCHEDULE": "static", "GIMBAL_SELECT": "sarsa"}, "schedule: fac2 gss",
                 {f"none none none none none {one} 7" for one in ("fac2", "gss")}),
                ({"GIMBAL_REPLAY": "p.csv", "GIMBAL_CONFIG": str(own)}, "GIMBAL_SCHEDULE: fac2 gss",
                 {f"none none none none none {one} 7" for one in ("fac2", "gss")}),
                ({"OMP_SCHEDULE": "static", "GIMBAL_SCHEDULE": "ss"}, "select: expert fixed",
                 {f"none {one} none none none ss 7" for one in ("expert", "fixed")}),
                ({"GIMBAL_SCHEDULE": "ss"}, "schedule: fac2 gss",
                 {f"none none none none none {one} 7" for one in ("fac2", "gss")}),
                ({"OMP_SCHEDULE": "static", "GIMBAL_SELECT": "expert", "GIMBAL_CONFIG": str(own)}, "lend: on off",
                 {f"static expert a.c=ss none {own} none 7"})):
            (self.work / "seen").unlink(missing_ok=True)
            done = subprocess.run([PYTHON, "-B", SOURCES, "--gimbal", self.tool, "--new", "--runs", "2", "--compare", "0",
                                   "--parameter", parameter, "--", self.program], cwd=self.work, text=True, timeout=600,
                                  env=self.environment(env | more), capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(set((self.work / "seen").read_text().splitlines()), seen)
            out = [name for name in sorted(deciding) if name in env | more and parameter != "lend: on off"]
            self.assertEqual(f"without {', '.join(out)}, which would decide what is tuned" in done.stderr, bool(out))
            line = done.stdout.split("run it so: ")[1].splitlines()[0]
            self.assertEqual("-u GIMBAL_LOOPS" in line, bool(out), line)
            (self.work / "seen").unlink()
            path = f"{self.tool.parent}:{self.environment()['PATH']}"
            again = subprocess.run(line, shell=True, cwd=self.work, text=True, timeout=600, capture_output=True,
                                   env=self.environment(env | more | {"PATH": path}))
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn((self.work / "seen").read_text().strip(), seen, line)

    def test_short_runs_come_first_and_show_where_to_look(self):
        done = self.tune("--runs", 3, "--short", "{x} {y} short", "--compare", 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row[0] for row in self.rows()], ["short"] * 6 + ["search"] * 3)
        self.assertEqual([line.split()[2] for line in self.starts()], ["short"] * 6 + ["good"] * 3)

    def test_short_runs_leave_most_of_the_minutes_to_the_search(self):
        session = object.__new__(run_module.Session)
        session.budget = run_module.Budget(runs=9, seconds=20, compare=1)
        session.runs = []
        for kind, wall_s, after, count in ("short", 1, 0, 5), ("search", 2, 2, 5), ("compare", 2, 0, 2):
            while session.affordable(kind, after) and len(session.of(kind)) < 50:
                session.runs.append(run_module.Run(kind, {}, "", None, "ok", 1.0, wall_s, ""))
            self.assertEqual(len(session.of(kind)), count, kind)
        done = self.tune("--runs", 7, "--compare", 0, "--minutes", 1e-6)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows()), 1, "nobody knows before how long a run takes")

    def test_short_arguments_may_stand_in_quotes(self):
        program = self.script('printf "%s." "$@" >> starts\n')
        done = subprocess.run([PYTHON, "-B", SOURCES, "--gimbal", self.tool, "--parameter", "x: 1 2", "--runs", "1",
                               "--compare", "0", "--short", "'a b' c{x}", "--", program, "{x}"], cwd=self.work,
                              env=self.environment(), text=True, capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.starts(), ["a b.c1.a b.c2.1."])

    def test_a_feature_shows_the_models_what_the_parameter_alone_hides(self):
        program = self.script('echo "metric $(( 20 + $1 * 13 % 31 ))"\n')
        words = ("--runs", 7, "--compare", 0, "--parameter", "x: " + " ".join(map(str, range(1, 31))), "--feature",
                 "x * 13 % 31")
        command = [PYTHON, "-B", SOURCES, "--gimbal", self.tool, *map(str, words), "--metric-regex", "metric ([0-9]+)",
                   "--", program, "{x}"]
        done = subprocess.run(command, cwd=self.work, env=self.environment(None), text=True, capture_output=True,
                              timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("best: x=12", done.stdout, "12 * 13 = 5 * 31 + 1")
        command[command.index("x * 13 % 31")] = "x * 12 % 31"
        done = subprocess.run(command, cwd=self.work, env=self.environment(None), text=True, capture_output=True,
                              timeout=600)
        self.assertEqual(done.returncode, 2, "the file was begun with another feature")
        self.assertIn("features", done.stderr)

    def test_an_earlier_search_is_begun_with(self):
        self.assertEqual(self.tune("--runs", 12, "--compare", 0, "--output", "old.sqlite").returncode, 0)
        done = self.tune("--runs", 2, "--compare", 0, "--earlier", "old.sqlite")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("best: x=4", done.stdout)
        command = self.command("--runs", 2, "--compare", 0, "--earlier", "old.sqlite", "--new")
        begin = command.index("--parameter")  # the order of parameters means nothing
        command[begin:begin + 4] = command[begin + 2:begin + 4] + command[begin:begin + 2]
        done = subprocess.run(command, cwd=self.work, env=self.environment(), text=True, capture_output=True,
                              timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "best: .*x=4")

    def test_an_earlier_search_for_something_else_is_refused(self):
        self.assertEqual(self.tune("--runs", 2, "--compare", 0, "--output", "old.sqlite").returncode, 0)
        for words, said in ((("--maximize",), "it looked for the smallest number of the program, this search looks for the "
                             "largest number of the program"),
                            (("--metric-regex", "of ([0-9]+)"), "the program by metric ([0-9.]+), this search looks "
                             "for the smallest number of the program by of ([0-9]+)\n"),
                            (("--metric-regex", ""), "this search looks for the smallest wall time")):
            done = self.tune("--runs", 2, "--compare", 0, "--earlier", "old.sqlite", *words)
            self.assertEqual((done.returncode, done.stderr.count("error")), (2, 1), done.stderr)
            self.assertIn("--earlier old.sqlite: it looked for", done.stderr)
            self.assertIn(said, done.stderr)
        self.assertEqual(len(self.starts()), 2, "nothing more ran")
        self.assertFalse((self.work / "program.sh.tune.sqlite").exists(), "nor was a search begun")

    def test_words_reach_the_program_as_they_are_written(self):
        """1e6 became 1000000.0, which few programs read, and 008 became 8."""
        words = ("--compare", 0, "--parameter", "n: 008 1e2 1_0", "--constraint", "n < 50", "--constraint",
                 "x == 1 and y == 1")
        program = ("{x}", "{y}", "good", "{n}")
        done = self.tune("--runs", 1, *words, "--output", "old.sqlite", program=program)
        self.assertEqual((done.returncode, self.starts()), (0, ["1 1 good 008"]), done.stderr)
        self.assertIn("good 008\n", done.stdout.split("run it so: ")[1])
        done = self.tune("--runs", 3, *words, "--earlier", "old.sqlite", program=program)
        self.assertEqual((done.returncode, self.starts()[1:]), (0, ["1 1 good 008", "1 1 good 1_0"]), done.stderr)
        self.assertEqual(self.tune("--runs", 3, *words, program=program).returncode, 0, "it goes on")
        self.assertEqual(len(self.rows()), 2)

    def test_wrong_words_are_one_error_each(self):
        for words, part in ((("--parameter", "z: 1"), "nothing uses it"), (("--metric-regex", "("), "--metric-regex"),
                            (("--metric-regex", "x"), "parentheses"), (("--parameter", "schedule: fac22 ss"), "fac22"),
                            (("--runs", "0"), "--runs"), (("--space", "none.toml"), "none.toml"),
                            (("--model", "nm"), "--model"), (("--short", "'a b"), "--short: 'a b: a quote is not closed"),
                            (("--earlier", "none.sqlite"), "none.sqlite")):
            done = self.tune(*words)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertIn(part, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertNotIn("from the environment", done.stderr)
            self.assertFalse((self.work / "starts").exists(), "nothing ran")

    def test_a_space_may_stand_in_a_file(self):
        (self.work / "space.toml").write_text('constraints = ["z > 1"]\n[parameters]\nz = [1, 2, 3]\n')
        done = self.tune("--space", "space.toml", "--runs", 3, "--compare", 0, program=("{x}", "{y}", "good", "{z}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all(int(line.split()[3]) > 1 for line in self.starts()))


class WithoutModels(ToolTest):
    def test_a_python_without_them_gives_one_line_that_names_the_package(self):
        done = subprocess.run([sys.executable, "-S", "-I", "-B", SOURCES, "--gimbal", self.tool, "--", "./app"], cwd=self.work,
                              env=self.environment(), text=True, capture_output=True, timeout=600)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("apt-get install python3-sklearn", done.stderr)


if __name__ == "__main__":
    unittest.main()
