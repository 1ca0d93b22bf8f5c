# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal report`: saved records become one report; loops get their names from debug information."""
import json
import re
import shutil
import subprocess
import unittest

from support import ToolTest, record
from terminal import Program

LOOP = """#include <stdlib.h>
int main(void) {
    static double x[100];
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 100; ++i) x[i] = i;
    return x[7] > 0 ? 0 : 1;
}
"""


class Report(ToolTest):
    def save(self, name, entry):
        (self.work / name).write_text(json.dumps(entry))
        return name

    def test_files_of_many_ranks_become_one_report(self):
        files = [self.save(f"run-{rank}.json", record(rank, 2, 100 + rank)) for rank in (0, 1)]
        result = self.gimbal("report", *files)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 ranks x 2 threads", result.stdout)
        self.assertNotIn("threads of", result.stdout)
        self.assertIn("threads of", self.gimbal("report", "--full", *files).stdout)

    def test_options_that_would_have_no_effect_are_refused(self):
        file = self.save("run.json", record())
        trace, page = ("--trace", "json"), ("--html", "x.html")
        for words in ((*trace, *page), (*trace, "--json"), (*trace, "--full"), (*trace, "--compare"),
                      (*trace, *page, "--steps", "s.csv"), ("--full", "--json"), ("--full", *page),
                      ("--full", "--compare")):
            result = self.gimbal("report", *words, "--", file)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn("excludes", result.stderr)

    def test_runs_of_different_jobs_are_not_added_up(self):
        """What `--output run-%j-%r.json` leaves after a second run, read by `report run-*.json`."""
        files = []
        for job, started in ((71, 1767268800.25), (85, 1767268900.5)):
            for rank in (0, 1):
                entry = record(rank, 2, 100 + job + rank, time_s=3.0 if job == 71 else 1.5)
                entry |= {"job": str(job), "started_s": started + rank / 10}
                files.append(self.save(f"run-{job}-{rank}.json", entry))
        text = self.gimbal("report", *files).stdout
        self.assertIn("run 1 of 2: job 71, started 2026-01-01 12:00:00 UTC, 2 ranks, ./app\n", text)
        self.assertIn("\nrun 2 of 2: job 85, started 2026-01-01 12:01:40 UTC, 2 ranks, ./app\n", text)
        self.assertEqual(text.count("2 ranks x 2 threads"), 2)
        self.assertEqual(text.count("wall 10.00 s"), 2, text)
        text = self.gimbal("report", "--compare", *files).stdout
        self.assertIn("3.00      1.50  0.500", text)
        self.assertIn("wall ", text)

    def wide(self, text):
        """Lines of more than 80 characters."""
        return [line for line in text.splitlines() if len(line) > 80]

    def test_a_report_fits_the_columns_that_there_are(self):
        files = []
        for rank in (0, 1):
            entry = record(rank, 2, 100 + rank)
            entry["loops"][0] |= {"name": "very_long_name_of_a_source.cpp:210 hydrodynamics::smoothed::density_loop",
                                  "late_s": 0.4, "opening_s": 0.2}
            entry["loops"].append(entry["loops"][0] | {"workers": 256, "iterations": 10 ** 12})
            files.append(self.save(f"run-{rank}.json", entry | {"program": "./app " + "x" * 30, "job": "7"}))
        plain = self.gimbal("report", *files).stdout
        self.assertTrue(self.wide(plain), "a file may be wider")
        for columns in ("80", "81", "100"):
            text = self.gimbal("report", *files, env={"COLUMNS": columns}).stdout
            if columns == "80":
                self.assertEqual(self.wide(text), [])
            self.assertLessEqual(max(map(len, text.splitlines())), int(columns))
            self.assertEqual(len(re.findall(r"^very_lon.* %$", text, re.M)), 2, "a row is one line\n" + text)
            self.assertRegex(text, r"very_long_\S*\.\.\.\S*density_loop")
            self.assertIn("static (GIMBAL_SCHEDULE)", text)
        for columns in ("", "0", "-3", "wide", "99999999999999999999"):
            self.assertEqual(self.gimbal("report", *files, env={"COLUMNS": columns}).stdout, plain, columns)

    def test_on_a_terminal_a_report_is_as_wide_as_that(self):
        file = self.save("run.json", record() | {"openmp": "/a/very/long/path/to/some/library/libomp.so"})
        with Program([self.tool, "report", file], self.environment(), cwd=self.work, columns=60) as report:
            while report.read(0.5):
                pass
        lines = report.written.replace("\r", "").splitlines()
        self.assertLessEqual(max(map(len, lines)), 60)
        self.assertIn("sph.cpp:210 density", report.written)

    def test_a_loop_of_several_teams_says_which(self):
        entry = record()
        entry["loops"].append(entry["loops"][0] | {"workers": 4})
        text = self.gimbal("report", self.save("run.json", entry)).stdout
        self.assertIn("2 threads", text)
        self.assertIn("4 threads", text)
        self.assertNotIn("workers", self.gimbal("report", self.save("one.json", record())).stdout.splitlines()[1])

    def test_the_same_file_twice_counts_once(self):
        file = self.save("run.json", record() | {"started_s": 1767268800.25})
        once, twice = self.gimbal("report", file), self.gimbal("report", file, file)
        self.assertEqual(once.stdout, twice.stdout)
        self.assertEqual(twice.stderr, "gimbal: note: run.json holds the same process as run.json and is left out\n")
        alone = self.gimbal("report", "--compare", file, file)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("all files are of one run", alone.stderr)

    def test_what_a_selector_chose_stands_under_its_loop(self):
        entry = record()
        entry["loops"][0] |= {
            "calls": 100, "exploring_calls": 10, "exploring_cost_s": 0.3,
            "schedules": [{"schedule": "feedback", "reason": "auto", "calls": 90, "time_s": 2.7, "exploring": False},
                          {"schedule": "static", "reason": "auto", "calls": 10, "time_s": 0.3, "exploring": True}],
            "alternative": {"schedule": "guided", "call_s": 0.0306, "ratio": 1.02, "predicted": True}}
        file = self.save("run.json", entry)
        line = ("\n  feedback 90 % (auto), exploring 10 % cost 0.300 s (10.0 % of the time); best other: guided, "
                "2.0 % slower (predicted)\n")
        self.assertIn(line, self.gimbal("report", file).stdout)
        self.assertIn("choices for sph.cpp:210 density", self.gimbal("report", "--full", file).stdout)
        self.assertNotIn("best other", self.gimbal("report", self.save("old.json", record())).stdout)

    def test_wrong_files_are_named(self):
        newer = record() | {"schema_version": 2}
        cases = {"missing.json": "No such file",
                 self.save("newer.json", newer): "schema_version 2",
                 self.save("list.json", []): "not a JSON object",
                 self.save("part.json", {"schema_version": 1}): "missing"}
        for name, reason in cases.items():
            result = self.gimbal("report", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(name, result.stderr)
            self.assertIn(reason, result.stderr)

    def test_what_is_nested_too_deep_is_an_error(self):
        deep = '{"a":' * 100000 + "1" + "}" * 100000
        text = json.dumps(record() | {"placement": {"mode": 7}}).replace("7}", deep + "}")
        (self.work / "deep.json").write_text(text)
        for words in ((), ("--json",), ("--html", "page.html")):
            result = self.gimbal("report", *words, "deep.json")
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn("deep.json: the record is nested more than 64 levels deep", result.stderr)

    def test_a_file_that_is_read_is_never_replaced(self):
        file = self.save("run.json", record())
        (self.work / "link.json").hardlink_to(self.work / file)
        (self.work / "symlink.json").symlink_to(file)
        (self.work / "steps.csv").write_text("steps")
        for words in (("--html", file, file), ("--html", "./run.json", file), ("--html", "link.json", file),
                      ("--html", "symlink.json", file), ("--html", "steps.csv", file, "--steps", "steps.csv")):
            result = self.gimbal("report", *words)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("gimbal: ")), (2, "", 1), words)
            self.assertIn("nothing was written", result.stderr)
        self.assertEqual(json.loads((self.work / file).read_text()), record())
        self.assertEqual((self.work / "steps.csv").read_text(), "steps")
        self.assertEqual(self.gimbal("report", "--html", "run.html", file).returncode, 0)

    def test_a_file_of_another_kind_is_never_replaced(self):
        """A name that was forgotten, so that the next word is taken for it."""
        first, second = self.save("run-0.json", record(0, 2)), self.save("run-1.json", record(1, 2, 101))
        for words, hint in ((("--html", first, second), "gimbal report --html PAGE.html run-*.json"),
                            (("--html", "program", first, second), "gimbal report --html PAGE.html run-*.json"),
                            (("--trace", "json", "--to", first, second), "--to FILE"),
                            (("--trace", "perfetto", "--to", "program", second), "--to FILE")):
            (self.work / "program").write_text("precious")
            result = self.gimbal("report", *words)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("gimbal: ")), (2, "", 1), words)
            self.assertIn("is there already and is not a ", result.stderr)
            self.assertIn(hint, result.stderr)
        self.assertEqual((self.work / "program").read_text(), "precious")
        self.assertEqual(json.loads((self.work / first).read_text()), record(0, 2))
        (self.work / "empty.html").touch()
        for page in ("empty.html", "run.html", "run.html"):
            self.assertEqual(self.gimbal("report", "--html", page, first, second).returncode, 0, page)

    def test_a_trace_is_no_record_and_that_is_said(self):
        (self.work / "run.pftrace").write_bytes(b"\n5P\x81\xe0\xc3#h\x01\xb8\x05\x01" + bytes(100))
        result = self.gimbal("report", "run.pftrace")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("gimbal report --trace json|otf2 run.pftrace", result.stderr)

    def test_a_folder_is_no_file(self):
        for words in ((".",), ("--trace", "json", "."), ("--trace", "perfetto", ".")):
            result = self.gimbal("report", *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn('"."', result.stderr)
            self.assertNotIn("No such device", result.stderr)
        self.assertIn("Is a directory", self.gimbal("report", "--trace", "json", ".").stderr)

    def test_what_a_record_says_does_not_reach_the_terminal_as_commands(self):
        entry = record() | {"program": "./app \x1b]0;title\a", "warnings": ["\x9b31m \x7f \u00e4"]}
        entry["loops"][0] |= {"name": "a.c:1 \x1b[31mred\n2"}
        file, other = self.save("run.json", entry), self.save("other.json", entry | {"job": "7", "pid": 7})
        for words in ((file,), ("--full", file), (file, other), ("--compare", file, other)):
            text = self.gimbal("report", *words).stdout
            self.assertIn("a.c:1 \\x1b[31mred\\n2", text)
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f]", words)
        self.assertIn("WARN \\xc2\\x9b31m \\x7f \u00e4\n", self.gimbal("report", file).stdout)

    @unittest.skipUnless(shutil.which("gcc") and shutil.which("nm"), "no gcc or nm")
    def test_a_gcc_loop_gets_the_line_of_its_pragma(self):
        source, program = self.work / "loop.c", self.work / "loop"
        source.write_text(LOOP)
        subprocess.run(["gcc", "-g", "-fopenmp", "-o", program, source], check=True)
        symbols = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
        address = next(int(line.split()[0], 16) for line in symbols.splitlines() if "main._omp_fn.0" in line)
        entry = record()
        entry["loops"][0] |= {"name": "", "module": str(program), "offset_bytes": address + 1}
        self.assertIn("loop.c:4 main ", self.gimbal("report", self.save("run.json", entry)).stdout)
        subprocess.run(["strip", "--strip-debug", program], check=True)
        self.assertIn("loop main._omp_fn.0+0x1 ", self.gimbal("report", self.save("run.json", entry)).stdout)

    def test_a_missing_libdw_is_said_where_it_is_missed(self):
        self.compile("", "work/libdw.so.1", "-shared", "-fPIC")
        named = self.save("named.json", record())
        entry = record(pid=101)
        entry["loops"][0] |= {"name": "", "module": "/no/such/program", "offset_bytes": 17}
        text = self.gimbal("report", named, self.save("unnamed.json", entry),
                           env={"LD_LIBRARY_PATH": str(self.work)}).stdout
        self.assertEqual(text.count("libdw is not installed"), 1, text)
        self.assertIn("libdw is not installed", text.split("run 2 of 2")[1])


if __name__ == "__main__":
    unittest.main()
