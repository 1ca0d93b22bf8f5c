# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that have chosen a locale with a decimal comma: what Gimbal writes and reads stays as it is in the C locale.

The locales are compiled by localedef into a folder of the test's own, so the machine need not have them."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

LIMIT_S = 200
COMMA = "de_DE.UTF-8"
TWO_BYTES = "ps_AF.UTF-8"  # its decimal point has two bytes
PATHS = {name: os.environ.get(f"LOCALE_{name}", "") for name in
         ("PRELOAD", "LIBOMP", "LIBPIN", "LOOPS", "THREADS", "LB4MPI", "MPIEXEC", "TOOL")}
CLEARED = ("GIMBAL_", "OMP_", "KMP_", "LB4MPI_", "MPI_RL_", "LD_", "LC_", "PMI", "SLURM_")
WITH_COMMA = re.compile(r"\d,\d+ (s|ms|%|signal|reward)\b|\b\d+,\d{3,}\b")


def need(*names):
    """Skip what the build has not made."""
    missing = [name for name in names if not os.path.isfile(PATHS[name])]
    return unittest.skipIf(missing, f"not there: {', '.join(missing)}")


class Locale(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="locale-")
        cls.addClassCleanup(folder.cleanup)
        cls.locales = pathlib.Path(folder.name)
        if not shutil.which("localedef"):
            raise unittest.SkipTest("no localedef")
        for name in (COMMA, TWO_BYTES):
            made = subprocess.run(["localedef", "-i", name.split(".")[0], "-f", "UTF-8", cls.locales / name],
                                  capture_output=True, text=True, timeout=LIMIT_S, check=False)
            if not (cls.locales / name).is_dir():
                raise unittest.SkipTest(f"localedef cannot make {name} (package locales): {made.stderr}")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in(self, locale, words, preload=(), **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}
        # What is preloaded last is initialised first: the locale is there when the libraries read their settings.
        environment |= {"LOCPATH": str(self.locales), "TEST_LOCALE": locale, "OMP_NUM_THREADS": "2",
                        "GIMBAL_CACHE": "off",
                        "LD_PRELOAD": " ".join([*preload, PATHS["PRELOAD"]])} | variables
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=LIMIT_S, check=False)
        self.assertIn("locale 0,5" if locale == COMMA else "locale 0\u066b5", done.stdout, "the locale is not in force")
        return done

    def loops(self, locale=COMMA, **variables):
        done = self.run_in(locale, [PATHS["LOOPS"]], [PATHS["LIBOMP"]], KMP_BLOCKTIME="0", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def rows(self, name):
        """Every line has as many fields as the first, and what looks like a number of Gimbal's is one."""
        with (self.folder / name).open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assertEqual(len(row), len(header), row)
        return [dict(zip(header, row)) for row in rows]

    @need("LIBOMP", "LOOPS")
    def test_records_of_steps_keep_their_columns_and_can_be_replayed(self):
        said = self.loops(GIMBAL_SELECT="sarsa", GIMBAL_RECORD="r.csv", GIMBAL_RL_AGENT_STATS="a.csv",
                          GIMBAL_RL_DEBUG="2", GIMBAL_RL_POLICY="epsilon-greedy", GIMBAL_RL_EPSILON="0.25",
                          GIMBAL_RL_EPS_DECAY="0", GIMBAL_REPORT="off")
        for row in self.rows("r.csv") + self.rows("a.csv"):
            for column in ("loop_time_s", "busy_max_s", "busy_mean_s"):
                self.assertGreaterEqual(float(row[column]), 0)
        self.assertTrue(any("." in row["loop_time_s"] or "e-" in row["loop_time_s"] for row in self.rows("r.csv")))
        self.assertTrue(any(float(row["epsilon"] or 0) == 0.25 for row in self.rows("a.csv")), "epsilon was not read")
        self.assertIn(" signal ", said)
        self.assertIsNone(WITH_COMMA.search(said), said)
        self.loops(GIMBAL_REPLAY="r.csv", GIMBAL_RECORD="again.csv")
        chosen = [[(row["loop"], row["step"], row["technique"]) for row in sorted(self.rows(name), key=str)]
                  for name in ("r.csv", "again.csv")]
        self.assertEqual(sorted(chosen[0]), sorted(chosen[1]))

    @need("LIBOMP", "LOOPS")
    def test_the_report_has_points_in_words_and_in_json(self):
        text = self.loops(GIMBAL_LOOPS="*=lws,0.8:4", GIMBAL_WEIGHTS="1.5,0.5", GIMBAL_REPORT="full",
                          GIMBAL_OUTPUT="o.json")
        self.assertRegex(text, r"wall \d+\.\d+ s")
        self.assertIn("lws,0.8:4", text)
        self.assertIsNone(WITH_COMMA.search(text), text)
        record = json.loads((self.folder / "o.json").read_text(encoding="utf-8"))
        self.assertGreater(record["wall_s"], 0)
        self.assertIn(0.8, [loop["static_fraction"] for loop in record["loops"]])

    @need("LIBOMP", "LOOPS")
    def test_files_of_loop_statistics_are_read_and_written(self):
        other = {"loop": "elsewhere.c:1 f", "workers": 3, "mean_s": 0.25, "sd_s": 0.125}
        for locale in (COMMA, TWO_BYTES):
            file = self.folder / "s.json"
            file.write_text(json.dumps({"schema_version": 1, "loops": [other]}), encoding="utf-8")
            self.loops(locale, GIMBAL_LOOP_STATS="s.json", GIMBAL_SCHEDULE="fac", GIMBAL_REPORT="off")
            loops = json.loads(file.read_text(encoding="utf-8"))["loops"]
            self.assertIn(other, loops)
            self.assertGreater(len(loops), 1, "no statistics of this run were written")

    @need("LIBPIN", "THREADS")
    def test_traces_of_placement_keep_their_columns(self):
        for name in ("t.csv", "t.jsonl"):
            # On a machine that is busy the placing thread may not come to its end in time: then there is no report.
            for seconds in (1, 5, 15):
                done = self.run_in(COMMA, [PATHS["THREADS"], 4, seconds], [PATHS["LIBPIN"]], GIMBAL_PIN="learn",
                                   GIMBAL_PIN_PERIOD="0.05", GIMBAL_PIN_TRACE=name,
                                   GIMBAL_PIN_SETTINGS="GUARD=0;AL_ETA=1.05")
                self.assertEqual(done.returncode, 7, done.stderr)
                if "manager:" in done.stderr:
                    break
            else:
                self.skipTest("the machine is so busy that the placing thread did not end in time, three times")
            self.assertNotIn("warning", done.stderr)
            self.assertRegex(done.stderr, r"manager: \d+\.\d+ % of one core")
            self.assertIsNone(WITH_COMMA.search(done.stderr), done.stderr)
        for row in self.rows("t.csv"):
            float(row["time_s"])
            float(row["speed"] or 0)
        for line in (self.folder / "t.jsonl").read_text(encoding="utf-8").splitlines():
            self.assertGreaterEqual(json.loads(line)["time_s"], 0)

    @need("LB4MPI", "MPIEXEC")
    def test_a_setting_that_is_read_when_a_loop_begins(self):
        done = self.run_in(COMMA, [PATHS["MPIEXEC"], "-n", 2, PATHS["LB4MPI"]], StealRatio="12.5",
                           GIMBAL_REPORT="off", GIMBAL_OUTPUT="m-%r.json")
        self.assertIn("ok: 0 errors", done.stdout, done.stderr)
        record = json.loads((self.folder / "m-0.json").read_text(encoding="utf-8"))
        self.assertEqual([loop["steals"]["ratio"] for loop in record["loops"]], [0.125])

    @need("TOOL", "LIBOMP", "LOOPS")
    def test_the_tool_says_the_same_in_every_locale(self):
        self.loops(GIMBAL_SCHEDULE="fac2", GIMBAL_OUTPUT="o.json", GIMBAL_REPORT="off")
        said = [self.run_in(locale, [PATHS["TOOL"], *words], LC_ALL=locale).stdout.split("\n", 1)[1]
                for words in (["report", "--full", "o.json"], ["info", "config"]) for locale in (COMMA, TWO_BYTES)]
        self.assertIsNone(WITH_COMMA.search(said[0]), said[0])
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[2], said[3])
        self.assertIn("0.8", said[2])


if __name__ == "__main__":
    unittest.main()
