# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that do not reach their end: killed, aborted, left by _exit(). What is known of their loops is said, marked
partial, with how they ended."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from support import ToolTest

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 200


class EndedEarly(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.build("ended_early.c", "ended")

    @classmethod
    def build(cls, source, name):
        library = pathlib.Path(os.environ["GIMBAL_LIBRARY"])
        include = HERE.parents[1] / "runtime" / "include"
        return cls.compile((HERE / source).read_text(), name, f"-I{include}", str(library),
                           f"-Wl,-rpath,{library.parent}")

    def assert_loops(self, record, calls=10):
        loop, = record["loops"]
        self.assertEqual((loop["name"], loop["workers"]), ("solver.c:42 sweep", 2))
        self.assertEqual((loop["calls"], loop["iterations"]), (calls, 100 * calls))
        self.assertEqual([(use["schedule"], use["calls"]) for use in loop["schedules"]], [("fac2", calls)])
        self.assertGreater(loop["time_s"], 0)
        self.assertGreaterEqual(loop["imbalance"], 0)

    def run_killed(self, *words, flags=(), env=None):
        return self.gimbal("run", "--output", "out.json", *flags, "--", self.program, *words,
                           env={"WAIT": "record"} | (env or {}), timeout=LIMIT_S)

    def output(self, name="out.json"):
        return json.loads((self.work / name).read_text())


class UnderTheLauncher(EndedEarly):
    def test_every_death_leaves_a_report_and_the_file_both_partial_with_the_reason(self):
        deaths = {"9": (137, "killed by SIGKILL (Killed)"), "15": (143, "killed by SIGTERM (Terminated)"),
                  "2": (130, "killed by SIGINT (Interrupt)"), "abort": (134, "killed by SIGABRT (Aborted)"),
                  "crash": (139, "killed by SIGSEGV (Segmentation fault)"),
                  "24": (152, "killed by SIGXCPU (CPU time limit exceeded)"),
                  "_exit": (3, "it left by _exit() or exec(), or could not write its last record; status 3")}
        for how, (status, why) in deaths.items():
            with self.subTest(how=how):
                result = self.run_killed(how)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(f"WARN partial: {why}; the figures are of the first ", result.stderr)
                self.assertRegex(result.stderr, r"solver\.c:42 sweep +10 +1000 +fac2 ")
                self.assertEqual(self.output()["partial"], why)
                self.assert_loops(self.output())
                self.assert_nothing_left()
                left = pathlib.Path("/dev/shm").glob(f"__KMP_REGISTERED_LIB_{self.output()['pid']}_*")
                self.assertEqual(list(left), [], "libomp's page")

    def test_a_process_killed_in_a_long_loop_says_which_and_for_how_long(self):
        """Nothing ends after the last execution: the record is written anew all the same, with the time until then."""
        for how in ("inside", "half"):
            result = self.run_killed(how)
            self.assertEqual(result.returncode, 137, result.stderr)
            self.assertIn("WARN partial: killed by SIGKILL (Killed); the figures are of the first ", result.stderr)
            self.assertRegex(result.stderr, r"WARN unfinished: solver\.c:42 sweep had been running for \S+ s when the "
                                            r"record was written; no figure includes that\.")
            record = self.output()
            self.assert_loops(record)
            unfinished, = record["unfinished"]
            self.assertEqual((unfinished["name"], unfinished["workers"]), ("solver.c:42 sweep", 2))
            self.assertGreater(unfinished["time_s"], 0.01 * record["wall_s"])
            self.assertLess(unfinished["time_s"] + record["loops"][0]["time_s"], record["wall_s"])

    def test_a_process_killed_in_its_first_loop_has_no_figures_and_says_so(self):
        result = self.run_killed("inside", "0")
        self.assertIn("WARN unfinished: solver.c:42 sweep had been running for ", result.stderr)
        self.assertIn("no loop had ended by then: there are no figures.", result.stderr)
        self.assertNotIn("no loop ran", result.stderr)
        self.assertEqual(self.output()["loops"], [])

    def test_a_record_is_kept_current_where_nothing_ends_and_seldom_written(self):
        """The second half of its life, in which nothing happens, sees it written some times and not at each look."""
        process = self.started("pause")
        path, seen = self.wait_for_record(process), set()
        walls = lambda: json.loads(path.read_text())["wall_s"]
        first = walls()
        deadline = time.monotonic() + LIMIT_S
        while max(seen, default=0) < 2 * first + 2 and time.monotonic() < deadline:
            seen.add(walls())
            time.sleep(0.02)
        process.kill()
        os.kill(json.loads(path.read_text())["pid"], signal.SIGKILL)
        process.communicate()
        self.assertGreaterEqual(max(seen), 2 * first + 2)
        self.assertNotIn("unfinished", json.loads(path.read_text()))
        for before, after in zip(sorted(seen), sorted(seen)[1:]):
            self.assertGreaterEqual(after, before / (1 - 0.125))

    def test_a_process_that_becomes_another_program_is_reported_as_both(self):
        """The number of the process is the same, and neither record replaces the other."""
        why = "by exec() it became another program"
        result = self.run_killed("exec", "10", "true")  # without the library
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("WARN partial: it left by _exit() or exec(), or could not write its last record; status 0;",
                      result.stderr)
        result = self.run_killed("exec", "10", self.program, "exit", "0")
        self.assertIn(f"WARN partial: {why}; the figures are of the first ", result.stderr)
        self.assertRegex(result.stderr, r"solver\.c:42 sweep +10 +1000 +fac2 ")
        self.assertEqual(self.output()["partial"], why)
        result = self.run_killed("exec", "10", self.program, "exec", "4", self.program, "exit", "3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"solver\.c:42 sweep +17 +1700 +fac2 ")
        pid = self.output()["pid"]
        outputs = [self.output(name) for name in ("out.json", f"out-{pid}.json", f"out-{pid}-2.json")]
        self.assertEqual([output["partial"] for output in outputs], [why, why, None])
        for output, calls in zip(outputs, (10, 4, 3)):
            self.assert_loops(output, calls)
        result = self.gimbal("report", *self.work.glob("out*.json"))
        self.assertRegex(result.stdout, r"solver\.c:42 sweep +17 +1700 +fac2 ")

    def test_quick_exit_and_exit_in_a_handler_leave_a_whole_record(self):
        for how, status in (("quick_exit", 4), ("handler", 7), ("exit", 0)):
            result = self.run_killed(how, env={"WAIT": ""})
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertNotIn("partial", result.stderr)
            self.assertIsNone(self.output()["partial"])
            self.assert_loops(self.output())

    @unittest.skipIf(os.geteuid() != 0, "not root, who alone can become somebody else")
    def test_a_program_that_cannot_write_its_last_record_says_so(self):
        result = self.gimbal("run", "--", self.program, "nobody", env={"WAIT": "record"}, timeout=LIMIT_S)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr,
                         r'gimbal: warning: cannot write "\S*/record-0-\d+-\d+\.json": Permission denied')
        self.assertIn("WARN partial: it left by _exit() or exec(), or could not write its last record; status 0;",
                      result.stderr)

    def test_what_a_shell_started_and_what_is_not_known_for_certain_is_said_so(self):
        script = self.script(f"{self.program} 9\nexit 137\n")
        result = self.gimbal("run", "--", script, env={"WAIT": "record"}, timeout=LIMIT_S)
        self.assertRegex(result.stderr,
                         r"WARN partial: it was killed, left by _exit\(\) or exec\(\), or could not write its last "
                         r"record; \S*program.sh says: by SIGKILL")

    def test_a_signal_to_the_launcher_reaches_the_program_and_stands_in_the_report(self):
        for number, name in ((signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT")):
            result = self.signalled(number, "pause", env={"SLURM_JOB_END_TIME": "1000"})
            self.assertEqual(result.returncode, 128 + number, result.stderr)
            self.assertRegex(result.stderr, f"WARN partial: killed by {name} .*, after {name} .* came to gimbal run at "
                                            "the job's time limit; the figures")
            self.assert_loops(self.output())

    def test_a_program_that_ignores_the_signal_is_reported_before_the_kill(self):
        process = self.started("stubborn")
        self.wait_for(self.work / "ready", process)
        process.send_signal(signal.SIGTERM)
        self.wait_for(self.work / "out.json", process)
        self.assertRegex(self.output()["partial"], "^the process is still running, after SIGTERM ")
        # A batch system kills everything next; here only the program, so that the tool can tell of it.
        os.kill(self.output()["pid"], signal.SIGKILL)
        stderr = process.communicate(timeout=LIMIT_S)[1]
        self.assertIn("still runs 5 s after SIGTERM", stderr)
        self.assertIn("WARN partial: the process is still running, after SIGTERM", stderr)
        self.assertIn("WARN partial: killed by SIGKILL (Killed), after SIGTERM", stderr)
        self.assertRegex(self.output()["partial"], "^killed by SIGKILL")

    def test_of_several_that_a_launcher_started_one_reports_all_before_the_kill(self):
        why = "or could not write its last record"
        for ignores, other in (("trap '' TERM; ", "the process is still running"), ("", why)):
            with self.subTest(other=other):
                self.setUp()
                # This process stands for the launcher.
                rank = self.script(f'[ $PMI_RANK = 0 ] || {{ {ignores}exec {self.program} pause; }}\n'
                                   f"exec {self.program} stubborn\n", "rank.sh")
                tools = [subprocess.Popen([self.tool, "run", "--output", "o-%r.json", "--", rank],
                                          env=self.environment({"WAIT": "record", "PMI_RANK": str(i), "PMI_SIZE": "2"}),
                                          cwd=self.work, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                         for i in (0, 1)]
                self.wait_for(self.work / "ready", tools[0])
                for tool in tools:
                    tool.send_signal(signal.SIGTERM)
                for i in (0, 1):
                    self.wait_for(self.work / f"o-{i}.json", next(one for one in tools if one.poll() is None))
                records = [self.output(f"o-{i}.json") for i in (0, 1)]
                time.sleep(1)  # and the other one has had its five seconds, too
                for process in [tool.pid for tool in tools] + [record["pid"] for record in records]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
                said = "".join(tool.communicate(timeout=LIMIT_S)[1] for tool in tools)
                self.assertEqual(said.count("still runs 5 s after SIGTERM; this is the report so far"), 1, said)
                self.assertRegex(said, r"solver\.c:42 sweep +20 +2000 +fac2 ")
                self.assertRegex(records[0]["partial"], "^the process is still running, after SIGTERM ")
                self.assertIn(other + ", after SIGTERM ", records[1]["partial"])

    def test_a_launcher_that_is_killed_leaves_the_records(self):
        process = self.started("pause")
        record = self.wait_for_record(process)
        pid = json.loads(record.read_text())["pid"]
        process.kill()
        process.wait()
        os.kill(pid, signal.SIGKILL)
        process.communicate()
        result = self.gimbal("report", record)
        self.assertIn("WARN partial: the process was still running when it wrote this", result.stdout)
        self.assertRegex(result.stdout, r"solver\.c:42 sweep +10 +1000 +fac2 ")

    @unittest.skipUnless(shutil.which("mpiexec.hydra"), "no mpiexec.hydra")
    def test_ranks_that_are_killed(self):
        result = self.run_killed("9", flags=("-n", "3", "--mpiexec", "mpiexec.hydra"),
                                 env={"WAIT": "records"})
        self.assertNotEqual(result.returncode, 0)
        for text in ("WARN partial: ranks 0-2: it was killed, perhaps by the launcher since another rank had ended, ",
                     "left by _exit() or exec(), or could not write its last record; mpiexec.hydra ",
                     "3 ranks x 2 threads"):
            self.assertIn(text, result.stderr)
        for rank in range(3):
            record = self.output(f"out-{rank}.json")
            self.assertEqual(record["rank"], rank)
            self.assertTrue(record["partial"])
            self.assert_loops(record)

    def test_ranks_that_outlive_the_launcher_for_a_moment_are_waited_for_and_the_launcher_is_named(self):
        self.script('shift 2\n"$@" &\nrank=$!\n'
                    'until grep -qs \'"calls": 10\' "$TMPDIR"/gimbal-run-*/record-*; do sleep 0.02; done\n'
                    '(sleep 0.2; kill -9 $rank) > /dev/null 2>&1 &\nexit 7\n', "mpiexec")
        result = self.run_killed("pause", flags=("-n", "1"), env={"PATH": f"{self.work}:{os.environ['PATH']}"})
        self.assertIn("or could not write its last record; mpiexec ended with status 7;", result.stderr)

    def test_a_process_that_outlives_gimbal_run_says_nothing(self):
        script = self.script(f'(while [ -e "$GIMBAL_RUN_DIR" ]; do sleep 0.02; done; exec {self.program} exit) &\n')
        result = self.gimbal("run", "--", script, env={"WAIT": ""}, timeout=LIMIT_S)
        self.assertEqual(result.returncode, 0)
        self.assertNotIn("cannot write", result.stderr)

    def test_without_a_wish_for_a_report_nothing_is_written_and_no_thread_is_started(self):
        result = self.gimbal("run", "--report", "off", "--", self.program, "threads", env={"WAIT": ""})
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "1\n", ""))

    def started(self, how, env=None):
        return subprocess.Popen([self.tool, "run", "--output", "out.json", "--", self.program, how],
                                env=self.environment({"WAIT": "record"} | (env or {})), cwd=self.work, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def signalled(self, number, how, env=None):
        process = self.started(how, env)
        self.wait_for_record(process)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=LIMIT_S)
        return subprocess.CompletedProcess([], process.returncode, stdout, stderr)

    def wait_for(self, path, process):
        deadline = time.monotonic() + LIMIT_S
        while not path.exists():
            self.assertTrue(process.poll() is None and time.monotonic() < deadline, f"no {path}")
            time.sleep(0.02)

    def wait_for_record(self, process):
        """A record of all ten calls."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            for path in self.temporary.glob("gimbal-run-*/record-*.json"):
                if '"calls": 10' in path.read_text():
                    return path
            self.assertTrue(process.poll() is None and time.monotonic() < deadline, "no record")
            time.sleep(0.02)


class WithoutTheLauncher(EndedEarly):
    def alone(self, *words, env=None):
        return subprocess.run([self.program, *words], env=self.environment(env), cwd=self.work, text=True,
                              capture_output=True, timeout=LIMIT_S)

    def test_the_file_of_gimbal_output_is_kept_current(self):
        result = self.alone("9", env={"GIMBAL_OUTPUT": "out.json", "WAIT": "out.json"})
        self.assertEqual((result.returncode, result.stderr), (-9, ""))
        self.assertIn("still running when it wrote this", self.output()["partial"])
        self.assert_loops(self.output())
        self.assertEqual([path.name for path in self.work.iterdir()], ["out.json"])

    def test_a_link_to_a_file_is_replaced_while_the_program_runs_as_it_is_at_its_end(self):
        (self.work / "precious").write_text("old")
        (self.work / "out.json").symlink_to("precious")
        self.assertEqual(self.alone("9", env={"GIMBAL_OUTPUT": "out.json", "WAIT": "out.json"}).returncode, -9)
        self.assertIn("still running when it wrote this", self.output()["partial"])
        self.assertEqual((self.work / "precious").read_text(), "old")

    def test_the_file_of_a_rank_on_another_node_whose_folder_of_records_is_not_there_is_kept_current(self):
        env = {"GIMBAL_OUTPUT": "out-%r.json", "GIMBAL_RUN_DIR": "/nonexistent/gimbal-run-a", "PMI_RANK": "1",
               "PMI_SIZE": "2"}
        with subprocess.Popen([self.program, "pause"], env=self.environment(env), cwd=self.work) as process:
            deadline = time.monotonic() + LIMIT_S
            path = self.work / "out-1.json"
            while not (path.exists() and '"calls": 10' in path.read_text()) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.kill()
        self.assertIn("still running when it wrote this", self.output("out-1.json")["partial"])
        self.assert_loops(self.output("out-1.json"))

    def test_the_programs_signals_stay_its_own(self):
        def masks(result):
            """Blocked, ignored, caught; without the C library's own two, which it sets with the first thread."""
            lines = [line.split() for line in result.stdout.splitlines() if not line.startswith("SigQ")]
            return {name: int(mask, 16) & ~(3 << 31) for name, mask in lines}

        without = masks(self.alone("signals", "0"))
        self.assertEqual(set(without), {"SigPnd:", "SigBlk:", "SigIgn:", "SigCgt:"})
        self.assertEqual(masks(self.alone("signals", env={"GIMBAL_OUTPUT": "out.json", "WAIT": "out.json"})), without)

    def test_a_device_is_written_once(self):
        result = self.alone("handler", env={"GIMBAL_OUTPUT": "/dev/stdout", "GIMBAL_REPORT": "off"})
        self.assertEqual((result.returncode, result.stdout.count("schema_version")), (7, 1))

    def test_quick_exit_speaks(self):
        result = self.alone("quick_exit")
        self.assertEqual(result.returncode, 4)
        self.assertIn("solver.c:42 sweep", result.stderr)
        self.assertNotIn("partial", result.stderr)


class InterruptedHeap(EndedEarly):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.build("interrupted_heap.c", "heap")

    def alone(self, *words, env=None):
        return subprocess.run([self.program, *words], env=self.environment({"OMP_SCHEDULE": "runtime"} | (env or {})),
                              cwd=self.work, text=True, capture_output=True, timeout=LIMIT_S)

    def test_the_report_needs_no_heap_that_the_program_was_interrupted_in(self):
        result = self.alone("program")
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertRegex(result.stderr, r"solver\.c:42 sweep +9 +936 ")
        result = self.alone("program", env={"GIMBAL_REPORT": "off", "GIMBAL_OUTPUT": "out.json"})
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        self.assertEqual(self.output()["loops"][0]["calls"], 9)

    def test_a_signal_waits_while_gimbal_allocates(self):
        for number in [*range(1, 12), *range(12, 10000, 7)]:
            result = self.alone("library", str(number))
            if result.returncode == 0:
                break
            self.assertEqual(result.returncode, 7, f"allocation {number}: {result.stderr}")
        self.assertGreater(number, 10)


if __name__ == "__main__":
    unittest.main()
