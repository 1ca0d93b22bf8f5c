# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that were given and would be dropped: an error before the program starts, or one line."""
import unittest

from support import ToolTest, record


class Dropped(ToolTest):
    def refused(self, *words, says, env=None):
        trace = self.work / "started"
        program = self.script(f"touch {trace}\n")
        result = self.gimbal("run", *words, "--", program, env=env)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("gimbal: "), 1, result.stderr)
        self.assertFalse(trace.exists(), "the program was started")
        self.assert_nothing_left()
        for text in says:
            self.assertIn(text, result.stderr)

    def test_a_schedule_and_who_chooses_it(self):
        self.refused("--schedule", "fac2", "--select", "expert", says=["fac2 and --select expert contradict"])
        for words in (("runtime", "expert"), ("gss", "fixed"), ("gss", "chunk")):
            result = self.gimbal("run", "--schedule", words[0], "--select", words[1], "--", "true")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_record_to_follow_and_who_chooses(self):
        (self.work / "p.csv").write_text("loop,workers,step,iterations,technique\nf,2,0,10,gss\n")
        self.refused("--replay", "p.csv", "--schedule", "ss", says=["--replay"])

    def test_a_launcher_without_ranks(self):
        self.refused("--mpiexec", "srun", says=["--mpiexec: only -n starts ranks"])

    def test_groups_of_cores_without_placement(self):
        self.refused("--pin-group", "2", says=["--pin-group needs --pin: without it no thread is placed"])

    def test_ranks_that_a_launcher_has_started_leave_nothing_either(self):
        plain = self.work / "plain.sh"
        plain.write_text("#!/bin/sh\n")
        program = self.script("touch started\n")
        for words, status in ((("--", "./nonexistent"), 127), (("--", plain), 126),
                              (("--pin-group", "4", "--", program), 2)):
            for rank in ("0", "1"):
                result = self.gimbal("run", *words, env={"PMI_RANK": rank, "PMI_SIZE": "2"})
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertFalse((self.work / "started").exists())
                self.assert_nothing_left()

    def test_a_folder_as_file(self):
        (self.work / "folder").mkdir()
        for option in ("--output", "--record"):
            for path in ("folder", "folder/", "missing/"):
                with self.subTest(option=option, path=path):
                    self.refused(option, path, says=[f'{option}: "{path}" is a folder'])

    def test_a_file_that_would_replace_another(self):
        (self.work / "p.csv").write_text("loop,workers,step,iterations,technique\nf,2,0,10,gss\n")
        (self.work / "s.toml").write_text("seed = 1\n")
        for option in ("--output", "--record", "--trace"):
            self.refused(option, "program.sh", says=['"program.sh" is also the file of the program, and would replace'])
            self.refused("--config", "s.toml", option, "./s.toml", says=["is also the file of --config"])
            self.refused("--replay", "p.csv", option, "p.csv", says=["is also the file of --replay"])
        self.refused("--output", "x", "--trace", "./x", says=['--trace: "./x" is also the file of --output'])
        self.refused("--record", "x", "--output", "x", says=['--record: "x" is also the file of --output'])
        done = self.gimbal("run", "--output", "/dev/null", "--record", "/dev/null", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_file_of_another_kind_is_never_replaced(self):
        (self.work / "app.c").write_text("int main(void) { return 0; }\n")
        for option in ("--output", "--record", "--trace"):
            self.refused(option, "app.c", says=[f'{option}: "app.c" is there already and is not a '])
        for name in ("GIMBAL_OUTPUT", "GIMBAL_PIN_TRACE"):
            self.refused(env={name: "app.c"}, says=[f'{name}: "app.c" is there already'])
        (self.work / "other.json").write_text('{"schema_version": 1, "mine": true}\n')
        self.refused("--output", "other.json", says=['"other.json" is there already'])
        program = self.writing_script(record())
        for _ in range(2):  # a record replaces a record
            self.assertEqual(self.gimbal("run", "--output", "run.json", "--", program).returncode, 0)

    def test_a_cache_that_cannot_be_used_is_said_where_it_was_named(self):
        (self.work / "afile").touch()
        for path, why in (("afile", "Not a directory"), ("/proc/zz", "No such file"), ("none/a/b", "No such file")):
            self.refused("--cache", path, says=[f'--cache: nothing can be kept in "{path}": {why}'])
            self.assertEqual(self.gimbal("run", "--", "true", env={"GIMBAL_CACHE": path}).returncode, 0, "for many runs")
        for path in ("here", "off", "OFF", "here"):
            self.assertEqual(self.gimbal("run", "--cache", path, "--", "true").returncode, 0)
        self.assertFalse((self.work / "here").exists(), "it is made where something is kept")

    def test_elastic_ranks_that_a_launcher_has_started_are_refused_with_the_reason(self):
        self.refused("--elastic", says=["--elastic: one process has no other rank"])
        self.refused("--elastic", env={"PMI_RANK": "0", "PMI_SIZE": "2"}, says=[
            "--elastic: a launcher has started gimbal in each of 2 ranks", "gimbal run -n 2 --elastic", "--mpiexec srun"])

    def test_threads_over_omp_num_threads_are_said(self):
        result = self.gimbal("run", "-t", "3", "--", "true", env={"OMP_NUM_THREADS": "8"})
        self.assertIn("gimbal: note: -t 3 replaces OMP_NUM_THREADS=8\n", result.stderr)
        result = self.gimbal("run", "-t", "3", "--", "true", env={"OMP_NUM_THREADS": "3"})
        self.assertNotIn("note", result.stderr)

    def test_numbers_that_are_none(self):
        small = ("--app", "flip", "--workers", "2", "--iterations", "10", "--steps", "2", "--schedule", "ss")
        for option in ("--noise", "--chunk-noise", "--interruptions", "--spread", "--drift", "--dispatch-ns",
                       "--serial-ns"):
            for value in ("nan", "-nan", "inf"):
                with self.subTest(option=option, value=value):
                    result = self.gimbal("simulate", *small, f"{option}={value}")
                    self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        for words in (("--slow-worker", "0", "--slow-factor", "nan"), ("--app", "pisolver:imbalance=nan")):
            self.assertEqual(self.gimbal("simulate", *small, *words).returncode, 2, words)
        self.assertEqual(self.gimbal("pin", "watch", "--interval", "nan").returncode, 2)

    def test_what_says_how_without_what(self):
        small = ("--app", "flip", "--workers", "2", "--iterations", "10", "--steps", "2", "--schedule", "ss")
        for words in (("--slow-factor", "2"), ("--slow-first", "1"), ("--slow-end", "1"), ("--interruption-us", "10"),
                      ("--drift-steps", "3"), ("--serial-ns", "50", "--dispatch-ns", "10"),
                      ("--slow-worker", "0", "--slow-first", "5", "--slow-end", "5")):
            with self.subTest(words):
                result = self.gimbal("simulate", *small, *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(result.stderr.count("gimbal: error: "), 1, result.stderr)
        self.assertIn("--slow-end is not after --slow-first", result.stderr)
        self.assertIn("allowed: more than 5", result.stderr)


if __name__ == "__main__":
    unittest.main()
