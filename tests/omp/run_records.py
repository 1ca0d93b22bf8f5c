#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GIMBAL_RECORD, GIMBAL_REPLAY and GIMBAL_RL_AGENT_STATS with a real program and the real library."""
import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

RUN_LIMIT_S = 600
OPTIONS = argparse.Namespace()
COLUMNS = ("loop,workers,step,iterations,technique,reason,exploring,loop_time_s,busy_max_s,busy_mean_s,chunks,"
           "state,action,signal,reward,epsilon,alpha,within").split(",")

# Between two executions of its loop another run has written its statistics.
REPLACING = """
#include <stdio.h>
int main(void) {
    double sums[2] = {0, 0};
    int moved = 0;
    for (int k = 0; k < 2; ++k) {
        double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
        for (int i = 0; i < 2000; ++i)
            for (int j = 0; j < 2000; ++j) sum += 1.0 / (1 + i + j);
        sums[k] = sum;
        if (k == 0) moved = rename("other.json", "s.json");
    }
    printf("%d\\n", sums[1] > 0 ? moved : 1);
    return 0;
}
"""


def clean_environment():
    prefixes = ("OMP_", "KMP_", "GOMP_", "LIBOMP_", "GIMBAL_", "LD_PRELOAD")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return kept | {"GIMBAL_CACHE": "off"}


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = OPTIONS.programs / "rules-gcc"
        if not self.program.is_file():
            self.skipTest("rules-gcc is not built, gcc is missing")

    def run_program(self, threads=2, **variables):
        environment = clean_environment() | {"LD_PRELOAD": str(OPTIONS.library), "OMP_NUM_THREADS": str(threads),
                                             "KMP_BLOCKTIME": "0"} | variables
        return subprocess.run([str(self.program)], cwd=self.folder, capture_output=True, text=True, env=environment,
                              timeout=RUN_LIMIT_S, check=False)

    def rows(self, name):
        with (self.folder / name).open(newline="") as file:
            reader = csv.DictReader(file)
            self.assertEqual(reader.fieldnames, COLUMNS)
            return list(reader)

    def choices(self, name):
        return {(row["loop"], row["workers"], row["step"]): row["technique"] for row in self.rows(name)}

    def test_a_replay_repeats_the_choices_of_a_random_run(self):
        done = self.run_program(GIMBAL_SELECT="q", GIMBAL_PORTFOLIO="ss gss,3 fac2", GIMBAL_RECORD="first.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        first = self.choices("first.csv")
        self.assertGreater(len(set(first.values())), 1, "nothing was chosen")
        done = self.run_program(GIMBAL_REPLAY="first.csv", GIMBAL_RECORD="second.csv", GIMBAL_SEED="7")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.choices("second.csv"), first)
        self.assertNotIn("GIMBAL_REPLAY: loop", done.stderr)
        self.assertEqual({row["reason"] for row in self.rows("second.csv")}, {"GIMBAL_REPLAY"})

    def test_a_planted_link_is_replaced_and_what_it_leads_to_stays(self):
        """A folder that all can write to; each file that Gimbal writes finds a link of its name there."""
        self.folder.chmod(0o1777)
        names = {"GIMBAL_OUTPUT": "o.json", "GIMBAL_RECORD": "r.csv", "GIMBAL_RL_AGENT_STATS": "a.csv"}
        precious = self.folder / "precious"
        precious.write_text("old")
        for name in names.values():
            (self.folder / name).symlink_to("precious")
            if os.geteuid() == 0:
                os.chown(self.folder / name, 65534, 65534, follow_symlinks=False)
        done = self.run_program(GIMBAL_SELECT="q", GIMBAL_PORTFOLIO="fac ss", GIMBAL_REPORT="off", **names)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(precious.read_text(), "old")
        for name in names.values():
            path = self.folder / name
            self.assertFalse(path.is_symlink(), name)
            self.assertGreater(path.stat().st_size, 10, name)

    def test_statistics_replace_an_empty_file_and_none_that_holds_something_else(self):
        file = self.folder / "s.json"
        for text in ("precious\n", '{"schema_version": 2, "loops": []}'):
            file.write_text(text)
            done = self.run_program(GIMBAL_SCHEDULE="fac", GIMBAL_LOOP_STATS="s.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("neither used nor replaced", done.stderr)
            self.assertEqual(file.read_text(), text)
        file.write_text("")
        done = self.run_program(GIMBAL_SCHEDULE="fac", GIMBAL_LOOP_STATS="s.json")
        self.assertNotIn("GIMBAL_LOOP_STATS", done.stderr)
        self.assertIn("schema_version", file.read_text())

    @unittest.skipUnless(shutil.which("gcc"), "no gcc")
    def test_statistics_of_a_run_that_ends_meanwhile_stay(self):
        (self.folder / "two.c").write_text(REPLACING)
        self.program = self.folder / "two"
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "two.c", "-o", "two"], cwd=self.folder, check=True)
        other = {"loop": "other.c:1 f", "workers": 2, "mean_s": 1e-6, "sd_s": 1e-7}
        (self.folder / "s.json").write_text("")
        (self.folder / "other.json").write_text(json.dumps({"schema_version": 1, "loops": [other]}))
        done = self.run_program(GIMBAL_SCHEDULE="fac", GIMBAL_LOOP_STATS="s.json")
        self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)
        loops = json.loads((self.folder / "s.json").read_text())["loops"]
        self.assertIn(other, loops)
        self.assertEqual(len(loops), 2, loops)

    def test_a_selector_beats_a_technique_from_the_same_source_and_chunks_are_of_that_technique(self):
        for selector in ("q", "chunk"):
            self.run_program(GIMBAL_SCHEDULE="gss", GIMBAL_SELECT=selector, GIMBAL_RECORD="run.csv")
            rows = [row for row in self.rows("run.csv") if int(row["iterations"]) > 1]
            self.assertEqual({row["reason"] for row in rows}, {selector})
        self.assertEqual({row["technique"].split(",")[0] for row in rows}, {"gss"})

    def test_a_team_of_one_has_a_row_for_each_call_though_its_loops_would_be_left(self):
        for schedule in ("gss", "fac2,2"):
            self.run_program(threads=1, GIMBAL_LOOPS="*=" + schedule, GIMBAL_RECORD="run.csv", GIMBAL_OUTPUT="run.json")
            loops = json.loads((self.folder / "run.json").read_text())["loops"]
            self.assertEqual(sum(loop["calls"] for loop in loops), len(self.rows("run.csv")))
            self.assertEqual(sum(loop["untimed_calls"] for loop in loops), 0)
            self.run_program(threads=1, GIMBAL_LOOPS="*=" + schedule, GIMBAL_OUTPUT="run.json")
            loops = json.loads((self.folder / "run.json").read_text())["loops"]
            self.assertGreater(sum(loop["untimed_calls"] for loop in loops), 0, "else this shows nothing")

    def test_agent_statistics_are_the_steps_of_agents(self):
        done = self.run_program(GIMBAL_SELECT="sarsa", GIMBAL_RECORD="all.csv", GIMBAL_RL_AGENT_STATS="agents.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        agents = self.rows("agents.csv")
        self.assertTrue(agents)
        for row in agents:
            self.assertIn(float(row["reward"]), (0.01, -2, -4))
            self.assertGreater(float(row["signal"]), 0)
        self.assertLessEqual({(row["loop"], row["workers"]) for row in agents},
                             {(row["loop"], row["workers"]) for row in self.rows("all.csv")})

    def test_ranks_have_records_of_their_own_and_find_them_again(self):
        rank = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
        self.run_program(GIMBAL_SELECT="random", GIMBAL_RECORD="run.csv", **rank)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["run-1.csv"])
        self.assertEqual(self.run_program(GIMBAL_REPLAY="run.csv", **rank).returncode, 0)

    def test_a_file_that_is_no_record_is_a_warning_and_keeps_gimbal_out_unless_not_strict(self):
        (self.folder / "bad.csv").write_text("technique\n")
        for name, reason in (("bad.csv", 'no column "loop"'), ("none.csv", "No such file")):
            done = self.run_program(GIMBAL_REPLAY=name)
            self.assertEqual(done.returncode, 0)
            self.assertIn("gimbal: warning: GIMBAL_REPLAY: ", done.stderr)
            self.assertIn(reason, done.stderr)
            self.assertIn("run without Gimbal", done.stderr)
            self.assertNotIn("sched.ovh", done.stderr)  # no report: no loop was Gimbal's
            done = self.run_program(GIMBAL_REPLAY=name, GIMBAL_STRICT="0")
            self.assertEqual(done.returncode, 0)
            self.assertIn("gimbal: warning: GIMBAL_REPLAY: ", done.stderr)

    def test_a_loop_that_was_not_recorded_is_named_and_runs_with_fac2(self):
        self.run_program(threads=2, GIMBAL_SELECT="random", GIMBAL_RECORD="two.csv")
        done = self.run_program(threads=3, GIMBAL_REPLAY="two.csv", GIMBAL_RECORD="three.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("with 3 workers is not in the record", done.stderr)
        self.assertEqual({row["technique"] for row in self.rows("three.csv") if row["workers"] == "3"}, {"fac2"})

    def test_a_process_that_is_killed_leaves_its_steps_but_the_last(self):
        variables = {"LD_PRELOAD": str(OPTIONS.library), "OMP_NUM_THREADS": "2", "GIMBAL_SELECT": "random",
                     "GIMBAL_RECORD": "steps.csv", "GIMBAL_REPORT": "off"}
        program = subprocess.Popen([str(self.program), "stay"], cwd=self.folder, env=clean_environment() | variables)
        parts = []
        end = time.monotonic() + RUN_LIMIT_S
        while time.monotonic() < end and not (parts and parts[0].stat().st_size > 500):
            time.sleep(0.05)
            parts = list(self.folder.glob(f"steps.csv.part-{program.pid}-*"))
        program.kill()
        program.wait()
        self.assertGreater(len(self.rows(parts[0].name)), 3)

    def test_a_record_that_cannot_be_written_is_a_warning_at_the_end(self):
        done = self.run_program(GIMBAL_SELECT="random", GIMBAL_RECORD="no/such/folder.csv")
        self.assertEqual(done.returncode, 0)
        self.assertIn("gimbal: warning: cannot write", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_debugging_says_every_step_or_every_change(self):
        every = self.run_program(GIMBAL_SELECT="q", GIMBAL_RL_DEBUG="2", GIMBAL_RECORD="run.csv")
        lines = [line for line in every.stderr.splitlines() if " workers) step " in line]
        self.assertEqual(len(lines), len(self.rows("run.csv")))
        changes = self.run_program(GIMBAL_SELECT="fixed", GIMBAL_RL_DEBUG="1", GIMBAL_RECORD="run.csv")
        lines = [line for line in changes.stderr.splitlines() if " workers) step " in line]
        loops = {(row["loop"], row["workers"]) for row in self.rows("run.csv")}
        self.assertEqual(len(lines), len(loops), "each loop begins once and never changes")


class Losses(unittest.TestCase):
    """Where a loop's time went, in a program that loses known amounts by construction."""
    CALLS = 10

    def test_late_threads_and_waiting_are_told_apart_and_everything_adds_up(self):
        program = OPTIONS.programs / "losses"
        if not program.is_file():
            self.skipTest("losses is not built, gcc is missing")
        with tempfile.TemporaryDirectory() as folder:
            environment = clean_environment() | {"LD_PRELOAD": str(OPTIONS.library), "GIMBAL_SCHEDULE": "static",
                                                 "GIMBAL_OUTPUT": "run.json", "KMP_BLOCKTIME": "0"}
            done = subprocess.run([str(program), str(self.CALLS)], cwd=folder, capture_output=True, text=True,
                                  env=environment, timeout=RUN_LIMIT_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            record = json.loads((pathlib.Path(folder) / "run.json").read_text())
        loops = {loop["name"].split()[-1]: loop for loop in record["loops"]}
        self.assertEqual(set(loops), {"late", "uneven"})
        # Of two threads one loses it; clocks of program and library may differ in the last digits.
        self.assertGreaterEqual(loops["late"]["late_s"], 0.99 * self.CALLS * 5e-3 / 2)
        self.assertGreaterEqual(loops["uneven"]["waiting_s"], 0.99 * self.CALLS * 3e-3 / 2)
        for loop in loops.values():
            parts = sum(loop[part] for part in ("work_s", "scheduling_s", "late_s", "waiting_s"))
            self.assertAlmostEqual(parts, loop["time_s"], delta=1e-6 * loop["time_s"])
            self.assertGreater(loop["opening_s"] + loop["closing_s"], 0)
        serial_s = record["wall_s"] - sum(loop["time_s"] for loop in loops.values())
        self.assertGreaterEqual(serial_s, 0.99 * self.CALLS * 4e-3, "the serial part is in no loop")
        self.assertRegex(done.stderr, r"imbalance +late +lost +sched.ovh")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the test programs")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the libomp.so to preload")
    rest = parser.parse_known_args(namespace=OPTIONS)[1]
    OPTIONS.programs, OPTIONS.library = OPTIONS.programs.resolve(), OPTIONS.library.resolve()
    if not OPTIONS.library.is_file():
        sys.exit(f"run_records: no library {OPTIONS.library}")
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
