# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal tune`: spaces and constraints, the search over programs that crash, hang or say nothing, and going on after an
interruption."""
import contextlib
import io
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time
import tomllib
import unittest
from unittest import mock

from support import ToolTest, with_signals

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools" / "tune"
sys.path[:0] = [str(SOURCES), str(ROOT / "tools" / "campaign")]

from gimbal_campaign.errors import CampaignError  # noqa: E402
from gimbal_campaign.process import wait_for_end  # noqa: E402
from gimbal_tune.expressions import Expression  # noqa: E402
from gimbal_tune import run as run_module  # noqa: E402
from gimbal_tune.space import Parameter, Space, filled, parse_parameter  # noqa: E402


def python():
    """One that has the models; None if there is none."""
    for name in (sys.executable, "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            if subprocess.run([name, "-c", "import sklearn, matplotlib"], capture_output=True).returncode == 0:
                return name
    return None


PYTHON = python()
PROGRAM = """
echo "$*" >> starts
case $3 in
    crash) echo "the program cannot go on" >&2; exit 3;;
    hang) sleep 600;;
    mute) exit 0;;
esac
echo "metric $(( 2 + ($1 - 4) * ($1 - 4) + $2 ))"
"""
WORDS = ("--parameter", "x: 1 2 4 8 16", "--parameter", "y: 1 2 3", "--metric-regex", "metric ([0-9.]+)")


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

    def test_mistakes_are_one_error_each(self):
        def space(*texts, constraints=(), words=("{x}",)):
            return Space([parse_parameter(text) for text in texts], constraints, words).pool()
        for wrong in (lambda: space("x 1 2"), lambda: space("x: 1 1"), lambda: space("x:"), lambda: space("1x: 2"),
                      lambda: space("x: 1", "y: 2"), lambda: space("x: 1", words=("{z}",)),
                      lambda: space("x: 1", words=("{x",)), lambda: space("x: 1 2", constraints=["x > 2"]),
                      lambda: space("ranks: 0 1", words=()), lambda: space("x: 1", "x: 2")):
            self.assertRaises(CampaignError, wrong)


@unittest.skipUnless(PYTHON, "no Python with sklearn and matplotlib")
class Searching(ToolTest):
    def setUp(self):
        super().setUp()
        self.program = self.script(PROGRAM)

    def command(self, *words, program=None):
        return [PYTHON, "-B", SOURCES, "--gimbal", self.tool, *WORDS, *map(str, words), "--", self.program,
                *(program or ("{x}", "{y}", "good"))]

    def tune(self, *words, program=None, env=None):
        return subprocess.run(self.command(*words, program=program), cwd=self.work, env=self.environment(env), text=True,
                              capture_output=True, timeout=600)

    def rows(self, query="SELECT kind, configuration, status, value FROM tune_runs ORDER BY id"):
        with contextlib.closing(sqlite3.connect(self.work / "program.sh.tune.sqlite")) as connection:
            return connection.execute(query).fetchall()

    def starts(self):
        return (self.work / "starts").read_text().splitlines()

    def test_the_best_is_found_reported_and_compared(self):
        done = self.tune("--runs", 9, "--constraint", "x * y <= 24", "--html", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.starts()[0], "1 1 good", "today's configuration runs first")
        self.assertIn("best: x=4 y=1", done.stdout)
        self.assertIn("12 -> 3 value", done.stdout)
        self.assertIn("%IncMSE", done.stdout)
        self.assertEqual([row[0] for row in self.rows()], ["search"] * 9 + ["compare"] * 4)
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
        done = self.tune("--runs", 16, "--parameter", "kind: good hang crash mute", "--timeout", 0.7, "--abort", 0,
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
        whole = self.tune("--runs", 8, "--compare", 1)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        expected = self.rows("SELECT kind, configuration, reason, predicted, value FROM tune_runs ORDER BY id")
        (self.work / "program.sh.tune.sqlite").unlink()
        (self.work / "starts").unlink()
        good = self.program.read_text()
        self.program.write_text(good.replace("esac\n", "esac\nif [ $(wc -l < starts) -ge 5 ]; then sleep 600; fi\n"))
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
        self.program.write_text(good)
        again = self.tune("--runs", 8, "--compare", 1, "--abort", 0)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.rows("SELECT kind, configuration, reason, predicted, value FROM tune_runs ORDER BY id"),
                         expected)
        self.assertEqual(again.stdout, whole.stdout)

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

    def test_a_signal_while_the_lock_is_there_removes_it(self):
        """The search is kept waiting with its lock held, before its first run."""
        code = ("import os, sys; sys.path[:0] = sys.argv[1:3]\nfrom gimbal_tune import cli\n"
                "def waits(*_): print('held', flush=True); import time; time.sleep(600)\n"
                "cli.set_aside = waits\nsys.exit(cli.main(sys.argv[3:]))")
        folders = [pathlib.Path(SOURCES).parent / name for name in ("tune", "campaign")]
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
            command = self.command("--new")
            at = command.index("--gimbal")
            running = subprocess.Popen([command[0], "-B", "-c", code, *folders, *command[at:]], cwd=self.work,
                                       env=self.environment(), text=True, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, **with_signals(signal.SIG_DFL, number))
            self.assertEqual(running.stdout.readline(), "held\n")
            self.assertTrue((self.work / "program.sh.tune.sqlite.lock").exists())
            running.send_signal(number)
            self.assertEqual((running.communicate(timeout=600)[1], running.returncode), ("", 128 + number))
            self.assertFalse((self.work / "program.sh.tune.sqlite.lock").exists())

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

    def test_a_file_of_another_search_is_refused_with_what_differs(self):
        self.assertEqual(self.tune("--runs", 3, "--compare", 0).returncode, 0)
        done = self.tune("--runs", 3, "--constraint", "x > 1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("constraints", done.stderr)
        self.assertEqual(self.tune("--runs", 4, "--compare", 0).returncode, 0, "more runs are fine")
        self.assertEqual(len(self.rows()), 4)

    def test_a_damaged_file_is_one_error(self):
        self.assertEqual(self.tune("--runs", 2, "--compare", 0).returncode, 0)
        file = self.work / "program.sh.tune.sqlite"
        good = file.read_bytes()
        for change in ("UPDATE tune SET value = '{' WHERE key = 'wanted'", "DROP TABLE tune",
                       "UPDATE tune_runs SET configuration = '{'", "UPDATE tune_runs SET configuration = '3'",
                       "UPDATE tune_runs SET configuration = '{\"x\": [], \"y\": 1}'", "UPDATE tune_runs SET value = 'abc'",
                       "UPDATE tune_runs SET configuration = '{\"x\": 9, \"y\": 1}'"):
            file.write_bytes(good)
            with contextlib.closing(sqlite3.connect(file)) as connection, connection:
                connection.execute(change)
            done = self.tune("--runs", 3, "--compare", 0)
            self.assertEqual((done.returncode, done.stderr.count("error")), (2, 1), (change, done.stderr))
        file.write_bytes(good[:len(good) // 2])
        self.assertEqual(self.tune("--runs", 3, "--compare", 0).returncode, 2)
        self.assertEqual(len(self.starts()), 2, "nothing more ran")

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
        done = self.tune("--runs", 15, "--parameter", "schedule: static ss", "--constraint",
                         "y == 1 and schedule == 'static'")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no difference was measured to the best of the search, x=4 y=1 schedule=static: 11 -> 10 value: "
                      "0.909 of today's (0.769 to 1.111 in 2 x 2 runs)", done.stdout)
        self.assertIn("best: x=1 y=1", done.stdout)
        self.assertIn("x=1", (self.work / "program.sh.tune.toml").read_text().splitlines()[0])

    def test_new_replaces_no_file_of_somebody_else(self):
        good = self.program.read_bytes()
        other = self.work / "other.sqlite"
        with contextlib.closing(sqlite3.connect(other)) as connection, connection:
            connection.execute("CREATE TABLE mine (x)")
        for file in (self.program, other):
            done = self.tune("--new", "--output", file, "--runs", 2, "--compare", 0)
            self.assertEqual((done.returncode, done.stderr.count("error")), (2, 1), done.stderr)
            self.assertIn("not a file of gimbal tune", done.stderr)
        self.assertEqual(self.program.read_bytes(), good)
        self.assertFalse((self.work / "starts").exists(), "nothing ran")

    def test_the_result_replaces_no_file_that_is_read_or_is_the_users(self):
        mine = 'schedule = "gss"\n'
        space = '[parameters]\nschedule = ["static", "ss"]\n'
        files = {"my.toml": space, "config.toml": mine, "program.sh.tune.toml": mine, "page.toml": space}
        for name, text in files.items():
            (self.work / name).write_text(text)
        (self.work / "link.toml").symlink_to("my.toml")
        few = ("--runs", 2, "--compare", 0)
        schedule = ("--parameter", "schedule: static ss")
        for words, env, part in (
                (("--space", "my.toml", "--output", "my.sqlite"), {},
                 "my.toml: the result would replace the file of --space"),
                (("--space", "my.toml", "--output", "link.sqlite"), {}, "would replace the file of --space"),
                ((*schedule, "--output", "config.sqlite"), {"GIMBAL_CONFIG": str(self.work / "config.toml")},
                 "would replace the file of GIMBAL_CONFIG"),
                ((*schedule, "--output", "new.toml"), {}, "new.toml: the result would replace the file of the runs"),
                (("--space", "page.toml", "--html", "page.toml", "--output", "a.sqlite"), {},
                 "page.toml: --html would replace the file of --space"),
                ((*schedule, "--html", "a.toml", "--output", "a.sqlite"), {},
                 "a.toml: --html would replace the file of the result"),
                ((*schedule, "--output", "config.sqlite"), {}, "config.toml: the result's place is taken"),
                (schedule, {}, "program.sh.tune.toml: the result's place is taken by a file that gimbal tune did not"),
                ((*schedule, "--new"), {}, "program.sh.tune.toml: the result's place is taken")):
            done = self.tune(*few, *words, env=env)
            self.assertEqual((done.returncode, done.stderr.count("error")), (2, 1), (words, done.stderr))
            self.assertIn(part, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        self.assertFalse((self.work / "starts").exists(), "nothing ran")
        for name, text in files.items():
            self.assertEqual((self.work / name).read_text(), text)
        self.assertEqual(list(self.work.glob("*.sqlite*")), [], "no file of runs either")

    def test_the_result_of_an_earlier_search_is_replaced(self):
        words = ("--runs", 2, "--compare", 0, "--parameter", "schedule: static ss")
        self.assertEqual(self.tune(*words).returncode, 0)
        result = self.work / "program.sh.tune.toml"
        first = result.read_text()
        self.assertTrue(first.startswith("# Written by gimbal tune, and replaced by it: x="), first)
        result.write_text(first + "# more\n")
        done = self.tune(*words, "--new")
        self.assertEqual((done.returncode, result.read_text()), (0, first), done.stderr)
        # Without a setting of Gimbal there is no such file, and nothing is refused.
        result.write_text("mine")
        done = self.tune("--runs", 2, "--compare", 0, "--output", "program.sh.tune.sqlite", "--new")
        self.assertEqual((done.returncode, result.read_text()), (0, "mine"), done.stderr)

    def test_a_file_that_came_while_programs_ran_is_left_as_it_is(self):
        self.script(PROGRAM + "echo mine > program.sh.tune.toml\n")
        done = self.tune("--runs", 2, "--compare", 0, "--parameter", "schedule: static ss")
        self.assertEqual((done.returncode, done.stderr.count("error")), (2, 1), done.stderr)
        self.assertIn("best: x=", done.stdout)
        self.assertEqual((self.work / "program.sh.tune.toml").read_text(), "mine\n")

    def test_an_interrupt_while_a_run_is_noted_counts_it(self):
        store = mock.Mock(path="x.sqlite", runs=lambda: [None])
        session = mock.Mock(store=store, runs=[])
        session.everything.side_effect = KeyboardInterrupt
        said = io.StringIO()
        with mock.patch.object(run_module, "need"), contextlib.redirect_stderr(said):
            self.assertEqual(run_module.run(session), 130)
        self.assertIn("; x.sqlite has 1 run; the same command goes on", said.getvalue())

    def test_a_page_that_cannot_be_written_is_noticed_before_the_first_run(self):
        for path, why in (("none/a.html", "there is no folder none"), (".", "it is a folder")):
            done = self.tune("--html", path)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"--html {path}: {why}", done.stderr)
            self.assertNotIn("--output", done.stderr)
        self.assertFalse((self.work / "starts").exists(), "nothing ran")

    def test_what_the_runs_showed_is_printed_also_where_a_file_cannot_be_written(self):
        (self.work / "program.sh.tune.toml").mkdir()
        done = self.tune("--runs", 2, "--compare", 0, "--parameter", "schedule: static ss")
        self.assertEqual(done.returncode, 2)
        self.assertIn("best: x=", done.stdout)
        self.assertIn("program.sh.tune.toml", done.stderr)

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

    def test_the_result_is_a_configuration_file_that_gimbal_run_takes(self):
        done = self.tune("--runs", 12, "--parameter", "schedule: static fac2,{chunk}", "--parameter", "chunk: 4 16",
                         "--compare", 0, program=("{x}", "{y}", "good"))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = tomllib.loads((self.work / "program.sh.tune.toml").read_text())
        self.assertIn(found["schedule"], ("static", "fac2,4", "fac2,16"))
        self.assertIn("\nits settings alone, for --config: program.sh.tune.toml\n", done.stdout)
        self.assertEqual(self.gimbal("run", "--config", "program.sh.tune.toml", "--", self.program, "1", "1",
                                     "good").returncode, 0)

    def test_short_runs_come_first_and_show_where_to_look(self):
        done = self.tune("--runs", 3, "--short", "{x} {y} short", "--compare", 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row[0] for row in self.rows()], ["short"] * 6 + ["search"] * 3)
        self.assertEqual([line.split()[2] for line in self.starts()], ["short"] * 6 + ["good"] * 3)

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
