# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal tune`: the files of runs, of results and of pages, and what they replace."""
import contextlib
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time
import tomllib
import types
import unittest

from support import with_signals
from tune_support import PROGRAM, SOURCES, TuneTest

from gimbal_campaign import files
from gimbal_tune import result


class Files(TuneTest):
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

    def test_a_search_does_not_go_on_with_another_processor_or_other_cores(self):
        self.assertEqual(self.tune("--runs", 2, "--compare", 0).returncode, 0)
        with contextlib.closing(sqlite3.connect(self.work / "program.sh.tune.sqlite")) as connection, connection:
            connection.execute("UPDATE tune SET value = 'another' WHERE key IN ('processor', 'cores')")
        done = self.tune("--runs", 3, "--compare", 0)
        self.assertEqual((done.returncode, done.stdout, len(self.rows())), (2, "", 2))
        self.assertIn("the processor and the cores changed since the runs in it", done.stderr)

    def test_a_program_that_a_killed_search_left_is_named_and_nothing_is_measured_beside_it(self):
        self.script("echo $$ >> pids\nexec sleep 600\n")
        running = subprocess.Popen(self.command("--runs", 2), cwd=self.work, env=self.environment(),
                                   stderr=subprocess.DEVNULL)
        pids, deadline = self.work / "pids", time.monotonic() + 200
        while not (pids.exists() and pids.read_text().endswith("\n")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        running.kill()
        running.wait()
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in
                                 files.holders(self.work / "program.sh.tune.sqlite.lock")])
        done = self.tune("--runs", 2)
        self.assertEqual((done.returncode, len(pids.read_text().splitlines())), (2, 1), done.stderr)
        self.assertIn("programs of a gimbal tune that was killed", done.stderr)
        self.assertIn("program.sh 1 1", done.stderr)
        subprocess.run(["sh", "-c", done.stderr.splitlines()[-1].partition("end them with: ")[2]], check=True)
        while files.holders(self.work / "program.sh.tune.sqlite.lock"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.script(PROGRAM)
        self.assertEqual(self.tune("--runs", 2, "--compare", 0).returncode, 0)

    def test_a_file_of_another_search_is_refused_with_what_differs(self):
        self.assertEqual(self.tune("--runs", 3, "--compare", 0).returncode, 0)
        done = self.tune("--runs", 3, "--constraint", "x > 1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("constraints", done.stderr)
        self.assertEqual(self.tune("--runs", 4, "--compare", 0).returncode, 0, "more runs are fine")
        self.assertEqual(len(self.rows()), 4)

    def test_a_search_does_not_go_on_with_another_build_of_the_program_or_of_gimbal(self):
        self.assertEqual(self.tune("--runs", 2, "--compare", 0).returncode, 0)
        built = self.program.read_text()
        self.program.write_text(built + "# built again\n")
        done = self.tune("--runs", 3, "--compare", 0)
        self.assertEqual((done.returncode, done.stdout, len(self.rows())), (2, "", 2))
        self.assertIn("the program's file changed since the runs in it", done.stderr)
        self.assertIn("--new starts afresh", done.stderr)
        self.program.write_text(built)
        self.assertEqual(self.tune("--runs", 3, "--compare", 0).returncode, 0)
        library = self.libomp.read_bytes()
        self.addCleanup(self.libomp.write_bytes, library)
        self.libomp.write_bytes(library + b"\0")
        done = self.tune("--runs", 4, "--compare", 0)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Gimbal's build changed since the runs in it", done.stderr)
        self.assertEqual(self.tune("--runs", 2, "--compare", 0, "--new").returncode, 0)

    def test_a_search_without_a_run_takes_any_build(self):
        self.assertEqual(self.tune("--runs", 1, "--compare", 0).returncode, 0)
        with contextlib.closing(sqlite3.connect(self.work / "program.sh.tune.sqlite")) as connection, connection:
            connection.execute("DELETE FROM tune_runs")
        self.program.write_text(self.program.read_text() + "# built again\n")
        for runs in (1, 2):
            done = self.tune("--runs", runs, "--compare", 0)
            self.assertEqual(done.returncode, 0, done.stderr)

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

    def test_new_keeps_what_a_killed_search_had_committed(self):
        """What it had begun to change stands in a journal beside the file, which SQLite finds by the file's name."""
        self.assertEqual(self.tune("--runs", 2, "--compare", 0).returncode, 0)
        file = self.work / "program.sh.tune.sqlite"
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.executemany("INSERT INTO tune VALUES (?, ?)", ((f"{n}", "good" * 500) for n in range(100)))
        code = ("import os, sqlite3, sys; connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                "connection.execute('PRAGMA cache_size = 1')\n"
                "connection.execute('BEGIN')\n"
                "connection.execute(\"UPDATE tune SET value = replace(value, 'good', 'evil')\")\n"
                "os.kill(os.getpid(), 9)")
        subprocess.run([sys.executable, "-c", code, file], check=False)
        self.assertIn(b"evil", file.read_bytes())
        self.assertEqual(self.tune("--runs", 2, "--compare", 0, "--new").returncode, 0)
        self.assertFalse((self.work / "program.sh.tune.sqlite-journal").exists())
        file.with_name(file.name + ".old").replace(file)
        self.assertEqual(self.rows("SELECT count(*) FROM tune WHERE value LIKE '%evil%'"), [(0,)])

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

    def test_a_program_whose_name_is_not_utf_8_is_searched_like_any_other(self):
        name = os.fsdecode(b"gr\xf6sse.sh")
        self.program = self.program.rename(self.work / name)
        done = subprocess.run(self.command("--runs", 2, "--compare", 0, "--parameter", "schedule: static ss"),
                              cwd=self.work, env=self.environment(), capture_output=True, timeout=600)
        self.assertEqual((done.returncode, b"Traceback" in done.stderr), (0, False), done.stderr)
        self.assertIn(b"gr\xf6sse.sh", done.stdout.split(b"run it so: ")[1])
        with contextlib.closing(sqlite3.connect(self.work / (name + ".tune.sqlite"))) as connection:
            commands = connection.execute("SELECT command FROM tune_runs").fetchall()
        self.assertEqual(len(commands), 2)
        self.assertIn("gr\\udcf6sse.sh", commands[0][0])

    def test_the_result_can_be_read_whatever_its_values_hold(self):
        value = 'sph.c:1=ss\n\x7f"\\\U0001f600'
        latin = os.fsdecode(b"\xf6.c:1=ss")
        for text, read in ((value, {"loops": value}), (latin, {})):
            configuration = {"loops": text}
            asked = types.SimpleNamespace(settings={"loops": "GIMBAL_LOOPS"})
            self.assertEqual(tomllib.loads(result.toml(asked, configuration).encode().decode()), read)

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

    def test_a_page_that_cannot_be_written_is_noticed_before_the_first_run(self):
        for path, why in (("none/a.html", "there is no folder none"), (".", "it is a folder")):
            done = self.tune("--html", path)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"--html {path}: {why}", done.stderr)
            self.assertNotIn("--output", done.stderr)
        (self.work / "notes").write_text("precious")
        done = self.tune("--html", "notes")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--html notes: this file is there already and is no page", done.stderr)
        self.assertFalse((self.work / "starts").exists(), "nothing ran")

    def test_a_program_that_is_not_there_is_noticed_before_the_first_run(self):
        self.program = "./nofile"
        done = self.tune("--runs", 2)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('"./nofile": there is no such program', done.stderr)
        self.assertEqual([path.name for path in self.work.iterdir()], ["program.sh"])

    def test_what_the_runs_showed_is_printed_also_where_a_file_cannot_be_written(self):
        (self.work / "program.sh.tune.toml").mkdir()
        done = self.tune("--runs", 2, "--compare", 0, "--parameter", "schedule: static ss")
        self.assertEqual(done.returncode, 2)
        self.assertIn("best: x=", done.stdout)
        self.assertIn("program.sh.tune.toml", done.stderr)

    def test_the_result_is_a_configuration_file_that_gimbal_run_takes(self):
        done = self.tune("--runs", 12, "--parameter", "schedule: static fac2,{chunk}", "--parameter", "chunk: 4 16",
                         "--compare", 0, program=("{x}", "{y}", "good"))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = tomllib.loads((self.work / "program.sh.tune.toml").read_text())
        self.assertIn(found["schedule"], ("static", "fac2,4", "fac2,16"))
        self.assertIn("\nits settings alone, for --config: program.sh.tune.toml\n", done.stdout)
        self.assertEqual(self.gimbal("run", "--config", "program.sh.tune.toml", "--", self.program, "1", "1",
                                     "good").returncode, 0)


if __name__ == "__main__":
    unittest.main()
