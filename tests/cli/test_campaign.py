# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal campaign run`: runs, failures, turns, and going on after an interruption."""
import contextlib
import errno
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import threading
import unittest
import unittest.mock
from html import escape

from campaign_support import SMALL_CONFIGURATIONS, SMALL_SPEC, SOURCES, CampaignTest
from support import with_signals

from gimbal_campaign import conditions, design, files, html, interrupts, process, spec
from gimbal_campaign.errors import CampaignError


class Running(CampaignTest):
    def test_all_cells_are_stored_with_their_steps(self):
        done = self.campaign("run", self.write_spec())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT count(*), min(status), max(status) FROM runs"),
                         [(4 * SMALL_CONFIGURATIONS, "ok", "ok")])
        self.assertEqual(self.rows("SELECT DISTINCT n FROM (SELECT count(*) AS n FROM steps GROUP BY run)"), [(12,)])
        self.assertIn(f"[{4 * SMALL_CONFIGURATIONS}/{4 * SMALL_CONFIGURATIONS}]", done.stderr)
        self.assert_nothing_left()

    def test_paths_and_loops_that_are_not_utf_8_are_no_trouble(self):
        folder = os.fsencode(self.work) + b"/d\xff"
        os.mkdir(folder)
        text = SMALL_SPEC.replace('["fine"]', '["fine", "{build}"]').replace("repetitions = 2", "repetitions = 1")
        done = self.campaign("run", "--build", os.fsdecode(folder), self.write_spec(text),
                             env={"TMPDIR": os.fsdecode(folder), "LOOP": "pr\udcffg+0x1159"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM runs WHERE application = 'one' AND command LIKE '%\\udcff%' "
                                   "AND environment LIKE '%\\udcff%'"), [(SMALL_CONFIGURATIONS,)])
        self.assertEqual(self.rows("SELECT DISTINCT loop FROM steps JOIN runs ON run = id WHERE application = 'one'"),
                         [("pr\ufffdg+0x1159 10",), ("pr\ufffdg+0x1159 11",)])
        self.assertEqual(self.campaign("summary", "try.sqlite").returncode, 0)

    def test_teams_of_several_sizes_are_loops_of_their_own(self):
        path = self.write_spec(SMALL_SPEC.replace('command = ["fine"]', 'command = ["teams"]\nthreads = 2'))
        done = self.campaign("run", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT DISTINCT loop FROM steps JOIN runs ON run = id WHERE application = 'one' "
                                   "ORDER BY loop"),
                         [("app.c:10 loop",), ("app.c:10 loop (1 worker)",), ("app.c:11 loop",),
                          ("app.c:11 loop (1 worker)",)])
        replay = self.campaign("replay", "--times", 2, "--json", "--configuration", "oracle", "try.sqlite")
        self.assertEqual(replay.returncode, 0, replay.stderr)

    def test_results_of_a_program_that_was_rebuilt_are_warned_of(self):
        program = self.script("true\n", "fine")
        text = SMALL_SPEC.replace("repetitions = 2", "repetitions = 1")
        place = {"PATH": f"{self.work}:{os.environ['PATH']}"}  # the stand-in goes by the name alone
        path = self.write_spec(text)
        done = self.campaign("run", path, env=place)
        self.assertEqual((done.returncode, "warning" in done.stderr), (0, False), done.stderr)
        program.write_text("#!/bin/sh\nfalse\n")
        done = self.campaign("run", self.write_spec(SMALL_SPEC), env=place)
        self.assertIn("warning: try.sqlite: results of 2 builds of the programs stand in one file", done.stderr)
        self.assertIn("2 builds of the programs", self.campaign("summary", "try.sqlite").stderr)

    def test_the_build_is_gimbals_own_files_and_no_others(self):
        folder = self.work / "lib" / "gimbal"
        folder.mkdir(parents=True)
        names = ("lib/gimbal/libomp.so", "lib/libgimbal.so", "lib/libomp.so", "lib/other/libgimbal.so")
        for name in names:
            (self.work / name).parent.mkdir(exist_ok=True)
            (self.work / name).write_text(name)
        tool = self.script(f"""echo '{{"libomp": "{folder}/libomp.so"}}'\n""")
        before = conditions.fingerprint(tool)
        for name, counts in zip(names, (True, True, False, False)):
            (self.work / name).write_text("rebuilt")
            self.assertEqual(conditions.fingerprint(tool) != before, counts, name)
            (self.work / name).write_text(name)

    def test_virtual_applications_run_on_their_own_number_of_workers(self):
        text = SMALL_SPEC.replace("workers = 8\n", "").replace("repetitions = 2", "repetitions = 1")
        done = self.campaign("run", self.write_spec(text))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT DISTINCT runs.workers, steps.workers, loop FROM runs JOIN steps ON run = id "
                                   "WHERE application = 'two' ORDER BY loop"),
                         [(20, 20, "app.c:10 loop"), (20, 20, "app.c:11 loop")])

    def test_a_file_of_an_earlier_version_goes_on_and_gains_what_it_lacked(self):
        path = self.write_spec()
        self.assertEqual(self.campaign("run", path).returncode, 0)
        with contextlib.closing(sqlite3.connect(self.work / "try.sqlite")) as connection, connection:
            connection.execute("ALTER TABLE runs DROP COLUMN slower")
            connection.execute("DELETE FROM runs WHERE id = 1")
        self.assertEqual(self.campaign("summary", "try.sqlite").returncode, 0)
        done = self.campaign("run", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT count(*), max(slower) FROM runs"), [(4 * SMALL_CONFIGURATIONS, None)])

    def test_a_setting_that_the_tool_refuses_stops_a_campaign_before_its_first_cell(self):
        done = self.campaign("run", self.write_spec(SMALL_SPEC.replace('"fac2"', '"fac22"')))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("error"), 1)
        self.assertIn('unknown technique "fac22"', done.stderr)
        self.assertFalse((self.work / "try.sqlite").exists())

    def test_a_file_that_is_no_text_is_one_error(self):
        (self.work / "try.toml").write_bytes(bytes(range(256)))
        done = self.campaign("run", "try.toml")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_a_file_that_is_nested_too_deeply_is_one_error(self):
        (self.work / "try.toml").write_text("x = " + "[" * 100000)
        done = self.campaign("run", "try.toml")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("try.toml: the specification is nested too deeply", done.stderr)

    def test_a_store_whose_names_are_no_text_is_one_error(self):
        """SQLite repeats them in its message, which Python cannot read."""
        with contextlib.closing(sqlite3.connect(self.work / "try.sqlite")) as connection, connection:
            connection.execute("CREATE TABLE abcdefgh (key TEXT)")
        data = (self.work / "try.sqlite").read_bytes()
        (self.work / "try.sqlite").write_bytes(data.replace(b"TABLE abcdefgh", b"TABL\xf3 abcdefgh"))
        done = self.campaign("summary", "try.sqlite")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("gimbal: error: ", done.stderr)

    def test_a_killed_campaign_goes_on_where_it_was(self):
        text = SMALL_SPEC.replace('command = ["fine"]', 'command = ["sleep"]')
        text = text.replace("repetitions = 2", "repetitions = 1")
        starts = self.work / "starts"
        running = self.campaign("run", self.write_spec(text), env={"STARTS": str(starts)}, wait=False)
        self.wait_until(lambda: starts.exists() and "sleep fac2" in starts.read_text())
        before = len(starts.read_text().splitlines()) - 1
        running.send_signal(signal.SIGKILL)
        running.communicate()
        self.wait_until(lambda: not files.holders(self.work / "try.sqlite.lock"))
        self.assertEqual(self.rows("SELECT count(*) FROM runs"), [(before,)])
        starts.unlink()
        connection = sqlite3.connect(self.work / "try.sqlite")  # as if it had gone well this time
        connection.execute("UPDATE campaign SET value = replace(value, 'sleep', 'fine') WHERE key = 'spec'")
        new = text.replace("sleep", "fine")
        connection.execute("UPDATE campaign SET value = ? WHERE key = 'hash'", (spec.parse(new).hash,))
        connection.commit()
        connection.close()
        done = self.campaign("run", self.write_spec(new), env={"STARTS": str(starts)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{before} of {2 * SMALL_CONFIGURATIONS} cells have run", done.stderr)
        self.assertEqual(len(starts.read_text().splitlines()), 2 * SMALL_CONFIGURATIONS - before)
        self.assertEqual(self.rows("SELECT count(*) FROM runs WHERE status = 'ok'"), [(2 * SMALL_CONFIGURATIONS,)])

    def asleep(self, **popen):
        """A campaign in whose cell in progress the program sleeps."""
        text = SMALL_SPEC.replace('command = ["fine"]', 'command = ["sleep"]')
        starts = self.work / "starts"
        running = self.campaign("run", "--new", self.write_spec(text), env={"STARTS": str(starts)}, wait=False, **popen)
        self.wait_until(lambda: starts.exists() and "sleep fac2" in starts.read_text())
        starts.unlink()
        return running

    def test_an_interrupt_ends_the_program_too_and_leaves_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number.name):
                running = self.asleep(**with_signals(signal.SIG_DFL, number))
                running.send_signal(number)
                running.send_signal(number)  # a terminal that closes may send two
                said = running.communicate(timeout=600)[1]
                self.assertEqual(running.returncode, 128 + number, said)
                self.assertIn("the same command goes on", said)
                self.assert_nothing_left()

    def test_a_campaign_under_nohup_outlives_its_terminal(self):
        running = self.asleep(**with_signals(signal.SIG_IGN, signal.SIGHUP))
        running.send_signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            running.wait(0.5)
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=600)[1]
        self.assertEqual(running.returncode, 143, said)
        self.assert_nothing_left()

    def test_a_second_campaign_into_the_same_file_is_refused_while_the_first_runs(self):
        running = self.asleep(**with_signals(signal.SIG_DFL, signal.SIGTERM))
        before = self.rows("SELECT * FROM runs")
        for words in (("try.toml",), ("--new", "try.toml")):
            done = self.campaign("run", *words)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(f"try.sqlite: another gimbal campaign run (process {running.pid} on ", done.stderr)
        self.assertEqual(self.rows("SELECT * FROM runs"), before)
        self.assertFalse((self.work / "starts").exists(), "nothing ran")
        self.assertEqual(self.campaign("summary", "try.sqlite").returncode, 0, "it may be read")
        other = self.campaign("run", "--output", "other.sqlite", self.write_spec())
        self.assertEqual(other.returncode, 0, other.stderr)
        running.kill()
        running.communicate()
        self.wait_until(lambda: not files.holders(self.work / "try.sqlite.lock"))
        done = self.campaign("run", "--new", "try.toml")
        self.assertEqual(done.returncode, 0, "the lock has ended with its process: " + done.stderr)
        self.assertEqual(list(self.work.glob("*.lock")), [])

    def test_where_there_are_no_locks_nobody_is_kept_out(self):
        for function in ("os.open", "fcntl.flock"):
            with unittest.mock.patch(function, side_effect=OSError(errno.ENOLCK, "no locks")):
                with files.only_writer(pathlib.Path(self.work, "try.sqlite"), "campaign run"):
                    pass

    def test_a_campaign_goes_on_where_nobody_reads_what_it_says(self):
        reader, writer = os.pipe()
        os.close(reader)
        path = self.write_spec(SMALL_SPEC.replace('["fine"]', '["fail"]'))  # each failure is told at once
        command = [sys.executable, "-B", SOURCES, "--gimbal", self.stand_in, "run", path]
        done = subprocess.run(command, cwd=self.work, env=self.environment(), stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertEqual(self.rows("SELECT count(*) FROM runs"), [(4 * SMALL_CONFIGURATIONS,)])

    def test_a_campaign_waits_for_who_reads_its_file(self):
        starts = self.work / "starts"
        running = self.asleep()
        with contextlib.closing(sqlite3.connect(self.work / "try.sqlite", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM runs").fetchone()
            asleep, = files.holders(self.work / "try.sqlite.lock").keys() - {running.pid}
            os.kill(asleep, signal.SIGKILL)  # it has failed, which is to be stored
            with self.assertRaises(subprocess.TimeoutExpired):
                running.wait(7)
            self.assertFalse(starts.exists(), "the next cell waits")
        self.wait_until(starts.exists)
        running.send_signal(signal.SIGTERM)
        self.assertIn("the same command goes on", running.communicate(timeout=600)[1])

    def test_a_signal_while_a_program_is_started_or_ended_ends_it(self):
        def start(program, signalled=False):
            started.append(subprocess.Popen(["sh", "-c", program], start_new_session=True))
            if signalled:
                os.kill(os.getpid(), signal.SIGTERM)
            return started[-1]

        started = []
        with self.assertRaises(interrupts.Interrupted), interrupts.interrupts_raise():
            process.run_to_end(lambda: start("sleep 600", True), 600)
        timer = threading.Timer(2, os.kill, (os.getpid(), signal.SIGTERM))
        with (unittest.mock.patch.object(process, "LAST_WORDS_S", 4), self.assertRaises(interrupts.Interrupted),
              interrupts.interrupts_raise()):
            timer.start()
            process.run_to_end(lambda: start("trap '' TERM; sleep 600"), 0.5)
        timer.join()
        self.assertEqual([one.returncode is not None for one in started], [True, True])

    def test_a_signal_while_a_program_cannot_be_started_is_not_lost(self):
        def start():
            os.kill(os.getpid(), signal.SIGTERM)
            raise OSError(errno.EAGAIN, "no more processes")

        with self.assertRaises(interrupts.Interrupted), interrupts.interrupts_raise():
            process.run_to_end(start, 600)

    def test_what_a_program_goes_on_to_write_does_not_end_a_campaign(self):
        app = spec.parse(SMALL_SPEC).applications[0]
        cell = design.Cell(app, design.Configuration("static", "fixed", "static"), 0)
        # As if a file had come there meanwhile, or on NFS were still open.
        with (unittest.mock.patch.dict(os.environ, {"TMPDIR": str(self.temporary)}),
              unittest.mock.patch("tempfile.tempdir", None),
              unittest.mock.patch("os.rmdir", side_effect=OSError(errno.ENOTEMPTY, "not empty")),
              process.prepare(cell, process.Tool(self.stand_in, self.work), 1)):
            pass

    def test_failures_and_timeouts_are_recorded_and_do_not_end_a_campaign(self):
        text = SMALL_SPEC.replace('["fine"]', '["fail"]') + """
[[application]]
name = "three"
command = ["mute"]
[[application]]
name = "four"
command = ["sleep"]
timeout_s = 4
"""
        text = text.replace("repetitions = 2", "repetitions = 1")
        done = self.campaign("run", self.write_spec(text))
        self.assertEqual(done.returncode, 1)
        status = dict(self.rows("SELECT application || ' ' || configuration, status FROM runs WHERE status != 'ok'"))
        self.assertEqual(status.pop("one ss"), "failed")
        self.assertEqual(status.pop("four fac2"), "timeout")
        self.assertEqual(set(status.values()), {"no record"})
        self.assertEqual(len(status), SMALL_CONFIGURATIONS)
        self.assertEqual(self.rows("SELECT exit_status, output FROM runs WHERE status = 'failed'"),
                         [(3, "the program cannot go on\n")])
        self.assertIn("the program cannot go on", self.campaign("summary", "try.sqlite").stdout)

    def test_a_cell_is_the_one_process_that_records_steps(self):
        done = self.campaign("run", self.write_spec(SMALL_SPEC.replace('["fine"]', '["ranks"]')))
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 processes recorded steps; a cell is one process", done.stderr)
        self.assertEqual(self.rows("SELECT DISTINCT status FROM runs WHERE application = 'one'"), [("no record",)])
        self.assertEqual(self.rows("SELECT count(*) FROM steps JOIN runs ON run = id WHERE application = 'one'"),
                         [(0,)])
        done = self.campaign("run", "--new", self.write_spec(SMALL_SPEC.replace('["fine"]', '["rank"]')))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_record_with_a_step_twice_is_no_result_and_does_not_end_a_campaign(self):
        done = self.campaign("run", self.write_spec(SMALL_SPEC.replace('["fine"]', '["twice"]')))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("line 14: step 5 of app.c:11 loop stands there twice", done.stderr)
        self.assertEqual(self.rows("SELECT status, count(*) FROM runs GROUP BY status"),
                         [("no record", 2 * SMALL_CONFIGURATIONS), ("ok", 2 * SMALL_CONFIGURATIONS)])

    def test_a_campaign_without_any_result_is_listed_with_the_reasons(self):
        text = SMALL_SPEC.replace('["fine"]', '["mute"]').replace("repetitions = 2", "repetitions = 1")
        begin, end = text.index('[[application]]\nname = "two"'), text.index("[factors]")
        done = self.campaign("run", self.write_spec(text[:begin] + text[end:]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no loop of the program ran under Gimbal", done.stderr)
        self.assertNotIn("record.csv", done.stderr)
        summary = self.campaign("summary", "try.sqlite")
        self.assertEqual((summary.returncode, summary.stderr), (0, ""))
        self.assertEqual(summary.stdout.count("no loop of the program ran under Gimbal"), SMALL_CONFIGURATIONS)
        failures = json.loads(self.campaign("summary", "--json", "try.sqlite").stdout)["failures"]
        self.assertEqual(len(failures), SMALL_CONFIGURATIONS)
        oracle = self.campaign("oracle", "try.sqlite")
        self.assertEqual(oracle.returncode, 2)
        self.assertIn("gimbal campaign summary try.sqlite", oracle.stderr)

    def test_a_lock_of_another_machine_is_named_with_what_to_do(self):
        path = self.work / "try.sqlite"
        lock = self.work / "try.sqlite.lock"
        with files.only_writer(path, "campaign run"):
            lock.write_text("4711 node7 campaign replay\n")
            with self.assertRaises(CampaignError) as refused, files.only_writer(path, "campaign run"):
                pass
        self.assertIn("another gimbal campaign replay (process 4711 on node7)", str(refused.exception))
        self.assertIn("if it is no longer there, programs that it started hold ", str(refused.exception))

    def test_a_changed_specification_is_refused_with_the_reason_but_more_repetitions_are_not(self):
        self.campaign("run", self.write_spec())
        done = self.campaign("run", self.write_spec(SMALL_SPEC.replace("workers = 8", "workers = 9")))
        self.assertEqual(done.returncode, 2)
        self.assertIn("application[1].workers: 8 before, 9 now", done.stderr)
        self.assertIn("--new", done.stderr)
        more = self.write_spec(SMALL_SPEC.replace("repetitions = 2", "repetitions = 3"))
        self.assertEqual(self.campaign("run", more).returncode, 0)
        self.assertEqual(self.rows("SELECT count(*) FROM runs"), [(6 * SMALL_CONFIGURATIONS,)])
        self.assertEqual(self.campaign("run", "--new", self.write_spec()).returncode, 0)
        self.assertEqual(self.rows("SELECT count(*) FROM runs"), [(4 * SMALL_CONFIGURATIONS,)])
        self.assertEqual(self.rows("SELECT count(*) FROM runs", "try.sqlite.old"), [(6 * SMALL_CONFIGURATIONS,)])

    def test_new_replaces_no_file_of_somebody_else(self):
        other = self.work / "other"
        other.write_text("a program\n")
        done = self.campaign("run", "--new", "--output", "other", self.write_spec())
        self.assertEqual((done.returncode, done.stderr.count("error")), (2, 1), done.stderr)
        self.assertIn("--new other: not a file of gimbal campaign", done.stderr)
        self.assertEqual(other.read_text(), "a program\n")

    def test_results_of_two_builds_in_one_file_are_noticed(self):
        self.assertNotIn("builds", self.campaign("run", self.write_spec()).stderr)
        before = self.stand_in.read_text()
        self.addCleanup(self.stand_in.write_text, before)
        self.stand_in.write_text(before + "# another build\n")
        self.assertNotIn("2 builds", self.campaign("run", "try.toml").stderr, "nothing was left to run")
        done = self.campaign("run", self.write_spec(SMALL_SPEC.replace("repetitions = 2", "repetitions = 3")))
        self.assertIn("2 builds", done.stderr)
        self.assertIn("2 builds", self.campaign("summary", "try.sqlite").stderr)

    def test_results_of_two_machines_in_one_file_are_noticed(self):
        one = SMALL_SPEC.replace("repetitions = 2", "repetitions = 1")
        self.assertNotIn("warning", self.campaign("run", self.write_spec(one)).stderr)
        with contextlib.closing(sqlite3.connect(self.work / "try.sqlite")) as connection, connection:
            connection.execute("UPDATE campaign SET value = 'A CPU @ 2 GHz' WHERE key = 'processor'")
            connection.execute("UPDATE campaign SET value = '3 usable of 512' WHERE key = 'cores'")
        self.assertNotIn("warning", self.campaign("run", "try.toml").stderr, "nothing was left to run")
        here = conditions.gathered(self.stand_in, [])
        for words in (("run", self.write_spec()), ("run", "try.toml"), ("summary", "try.sqlite")):
            said = self.campaign(*words).stderr
            self.assertIn(f"results of 2 kinds of processor (A CPU @ 2 GHz; {here['processor']}) stand in one file",
                          said)
            self.assertIn(f"results of 2 numbers of cores (3 usable of 512; {here['cores']}) stand in one file", said)
        facts = dict(self.rows("SELECT key, value FROM campaign"))
        self.assertEqual(json.loads(facts["processor"]), ["A CPU @ 2 GHz", here["processor"]])
        runs = [dict.fromkeys(("wall_s", "preemptions", "repetition", "started"), 0) | {"status": "ok"}]
        self.assertIn(f">A CPU @ 2 GHz; {escape(here['processor'])}<", html.conditions(facts, runs))

    def test_virtual_time_is_the_same_on_all_machines(self):
        head, real, rest = SMALL_SPEC.partition('[[application]]\nname = "one"\ncommand = ["fine"]\n')
        self.assertTrue(real)
        text = head + rest
        self.campaign("run", self.write_spec(text.replace("repetitions = 2", "repetitions = 1")))
        with contextlib.closing(sqlite3.connect(self.work / "try.sqlite")) as connection, connection:
            connection.execute("UPDATE campaign SET value = 'A CPU @ 2 GHz' WHERE key = 'processor'")
        done = self.campaign("run", self.write_spec(text))
        self.assertEqual((done.returncode, "warning" in done.stderr), (0, False), done.stderr)

    def test_the_callers_steering_variables_do_not_reach_the_cells(self):
        self.campaign("run", self.write_spec(), env={"GIMBAL_SCHEDULE": "ss", "OMP_SCHEDULE": "static"})
        self.assertEqual(self.rows("SELECT DISTINCT steps.technique FROM steps JOIN runs ON run = runs.id "
                                   "WHERE configuration = 'static'"), [("static",)])


if __name__ == "__main__":
    unittest.main()
